// These pages are read in this repository only. This file makes the folder a module of its own, so
// that who downloads gosica doesn't download them.
module github.com/seed-47b1e431/gosica/docs/explanation

go 1.26.5
