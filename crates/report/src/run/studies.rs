//! What the studies show.

mod input_output;
mod machine;
mod pipeline;
mod speed;
mod variant;

pub(crate) use input_output::{classic as classic_input_output, view as input_output};
pub(crate) use machine::{classic as classic_machine, view as machine};
pub(crate) use pipeline::{classic as classic_pipeline, view as pipeline};
pub(crate) use speed::{classic as classic_speed, view as speed};
pub(crate) use variant::{classic as classic_variant, view as variant};
