//! The studies: what each measures, and in which order.

pub mod check_up;
pub mod input_output;
pub mod machine_study;
pub mod pipeline;
pub mod speed;
pub mod variant;
