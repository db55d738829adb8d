// Only this repository reads the rows. This file makes the folder a module of its own, so that who
// downloads gosica doesn't download them.
module github.com/seed-47b1e431/gosica/scripts/bench/results

go 1.26.5
