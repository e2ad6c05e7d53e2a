//! What the studies show.

mod speed;
mod variant;

pub(crate) use speed::{classic as classic_speed, view as speed};
pub(crate) use variant::{classic as classic_variant, view as variant};
