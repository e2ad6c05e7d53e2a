//! What the studies show.

mod speed;

pub(crate) use speed::{classic as classic_speed, view as speed};
