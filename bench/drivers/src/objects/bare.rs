//! `cargo xtask bare-objects`: lists a bucket, asks for each object, and passes over what comes. What bringing objects costs with the
//! client that most Rust programs have, as a program among programs.

use anyhow::Result;

/// Options of `bare-objects`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// URL of the server
    #[arg(long)]
    endpoint: String,
    /// Objects asked for at a time
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..))]
    at_a_time: u16,
    /// What to read
    bucket: String,
}

/// Reads all objects of a bucket, and prints how many there are, and their bytes.
#[cfg(feature = "object-store")]
pub(crate) fn run(options: &Options) -> Result<bool> {
    use futures_util::{StreamExt as _, TryStreamExt as _};
    use object_store::aws::AmazonS3Builder;
    use object_store::{ObjectStore as _, ObjectStoreExt as _};

    let runtime = tokio::runtime::Runtime::new()?;
    let store = AmazonS3Builder::new()
        .with_endpoint(&options.endpoint)
        .with_allow_http(true)
        .with_region("us-east-1")
        .with_bucket_name(&options.bucket)
        .with_access_key_id(super::server::KEY)
        .with_secret_access_key(super::server::SECRET)
        .build()?;
    let store = &store;
    let (objects, bytes) = runtime.block_on(async move {
        let read = store.list(None).map(|listed| async move {
            let mut content = store.get(&listed?.location).await?.into_stream();
            let mut bytes = 0;
            while let Some(piece) = content.try_next().await? {
                bytes += piece.len() as u64;
            }
            Ok::<_, object_store::Error>(bytes)
        });
        let mut read = read.buffer_unordered(options.at_a_time.into());
        let (mut objects, mut all_bytes) = (0_u64, 0_u64);
        while let Some(bytes) = read.try_next().await? {
            objects += 1;
            all_bytes += bytes;
        }
        Ok::<_, object_store::Error>((objects, all_bytes))
    })?;
    println!("{objects} {bytes}");
    Ok(true)
}

/// It is built where it is measured only: its client takes minutes to compile.
#[cfg(not(feature = "object-store"))]
pub(crate) fn run(options: &Options) -> Result<bool> {
    let Options { endpoint, at_a_time, bucket } = options;
    anyhow::bail!("{endpoint}: {bucket}, {at_a_time} at a time: built without the feature object-store")
}
