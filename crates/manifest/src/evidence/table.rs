//! Inventories as tables of Parquet, by the columns that `inventory` knows.

use std::fs::File;
use std::sync::Arc;

use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;

use super::inventory::{Field, Layout, Taken};
use super::{Error, Provider, Take};
use crate::formats::parquet::pages::{self, Rebuilt};
use crate::formats::parquet::parser::{BATCH_ROWS, Broken, Cells, Place, check_readable, guarded, unit};

/// A table that is an inventory.
pub(super) struct Table {
    file: Arc<Place>,
    metadata: Arc<ParquetMetaData>,
    provider: Provider,
    columns: Vec<Column>,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Table").field("provider", &self.provider).finish_non_exhaustive()
    }
}

/// A column that is read.
struct Column {
    field: Field,
    place: usize,
    /// How many of its units are a second, where it has times.
    unit: Option<i64>,
}

impl Table {
    pub(super) fn open(file: File) -> Result<Self, Error> {
        let file = Arc::new(Place::of(file)?);
        let metadata = Arc::new(pages::metadata(&file).map_err(|error| broken(error.into()))?);
        let schema = metadata.file_metadata().schema_descr();
        // What lies in a group or a list has no name of its own.
        let names = schema.columns().iter().map(|column| {
            let is_flat = column.max_rep_level() == 0
                && column.max_def_level() <= 1
                && column.path().parts().len() == 1;
            if is_flat { column.name().as_bytes() } else { b"" }
        });
        let layout = Layout::of(names).ok_or(Error::Unknown)?;
        let mut columns = Vec::new();
        for (place, field) in layout.fields().iter().enumerate() {
            let Some(field) = *field else { continue };
            let descriptor = schema.column(place);
            check_readable(&file, &metadata, place, descriptor.name())
                .map_err(|error| Error::Table { what: error.to_string() })?;
            columns.push(Column { field, place, unit: unit(&descriptor) });
        }
        Ok(Self { file, provider: layout.provider(), columns, metadata })
    }

    pub(super) fn provider(&self) -> Provider {
        self.provider
    }

    pub(super) fn each<E: From<Error>>(self, take: Take<'_, E>) -> Result<(), E> {
        let mut row = 0;
        for group in self.metadata.row_groups() {
            let open = || {
                let rebuilt = Rebuilt::default();
                let cells = |column: &Column| Cells::of(&self.file, group, column.place, &rebuilt);
                self.columns.iter().map(cells).collect::<Result<Vec<_>, ParquetError>>()
            };
            let mut cells = guarded(open).map_err(broken)?;
            let mut left = usize::try_from(group.num_rows()).unwrap_or(0);
            while left > 0 {
                let rows = left.min(BATCH_ROWS);
                let fill = || cells.iter_mut().map(|cells| cells.fill(rows)).collect::<Result<Vec<_>, _>>();
                let filled = guarded(fill).map_err(broken)?;
                if filled.iter().any(|&filled| filled != rows) {
                    let what = "a column has fewer rows than the table".to_owned();
                    return Err(Error::Table { what }.into());
                }
                left -= rows;
                for _ in 0..rows {
                    row += 1;
                    self.row(row, &mut cells, take)?;
                }
            }
        }
        Ok(())
    }

    fn row<E: From<Error>>(&self, row: u64, cells: &mut [Cells], take: Take<'_, E>) -> Result<(), E> {
        let mut taken = Taken::new(self.provider, row);
        let mut wrong = None;
        // All cells of a row are taken, so that the next row begins where it does.
        for (column, cells) in self.columns.iter().zip(cells) {
            let done = column.take(cells, &mut taken);
            wrong = wrong.or(done.err());
        }
        let statement = match wrong {
            Some(what) => Err(what),
            None => taken.end(),
        };
        match statement.map_err(|what| Error::Row { row, what })? {
            Some(statement) => take(statement),
            None => Ok(()),
        }
    }
}

impl Column {
    fn take(&self, cells: &mut Cells, taken: &mut Taken) -> Result<(), String> {
        match cells {
            Cells::Bools(_) => {
                if let Some(is_so) = cells.truth() {
                    taken.truth(self.field, is_so);
                }
                Ok(())
            }
            Cells::Ints(_) | Cells::Longs(_) if self.unit.is_none() => match cells.number() {
                None => Ok(()),
                Some(number) => taken.number(self.field, number),
            },
            Cells::Ints(_) | Cells::Longs(_) | Cells::Days(_) => {
                if let Some(time) = cells.time(self.unit.unwrap_or(1)) {
                    taken.time(self.field, time.map_err(|kind| kind.to_string())?);
                }
                Ok(())
            }
            Cells::Bytes(_) | Cells::Fixed(_) => match cells.bytes() {
                Some(cell) if !cell.is_empty() => taken.text(self.field, cell),
                _ => Ok(()),
            },
        }
    }
}

fn broken(broken: Broken) -> Error {
    match broken {
        Broken::Input(error) => Error::Input(error),
        Broken::Table(what) => Error::Table { what },
    }
}
