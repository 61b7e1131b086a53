/* Reads the rows of a large file with several threads. A part begins after the first line end at or after its share of
 * the bytes. That is the beginning of a row if the part before it ends there; a quoted field may contain line ends. */
#ifndef RILL_IO_ARRAY_CSV_PARTS_H
#define RILL_IO_ARRAY_CSV_PARTS_H

#include "io/array/csv.h"

/* Reads the rows from the current position to table->limit. `texts`: only the texts that the first pass leaves out. */
typedef bool CsvReadRows(CsvTable *table, CsvColumn *columns, bool texts);
/* Reads all rows from the current position by `read`, in parts. Returns false, without an error and with the table and
 * columns unchanged, if the file is small or a part fails: `read` then reads the rows or sets the error. */
bool csv_read_parts(CsvTable *table, CsvColumn *columns, CsvReadRows *read);

#endif
