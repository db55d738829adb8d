// The outcomes of tables are 1 MB that only this repository reads. This file makes the folder a
// module of its own, so that who downloads gosica doesn't download them.
module github.com/seed-47b1e431/gosica/laboratory/tables/results

go 1.26.5
