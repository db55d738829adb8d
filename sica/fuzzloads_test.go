package sica

// triedLoads are the arguments of FuzzLoad that fuzzing found, or that failed once. They are here and
// not in testdata, as in the module's zip a file takes 300 bytes more.
var triedLoads = []struct {
	folder, place uint8
	at            uint16
	data          string
}{
	{77, 1, 5, "0"},
	{0, 81, 9, "0"},
	{80, 1, 26, "null"},
	{16, 1, 73, "\"predictioniiiiiii\""},
	{0, 1, 18, "0"},
	{1, 217, 14, "1"},
	{19, 1, 129, "[]"},
	{0, 93, 25, "\"\xf9\xf9\xf9\xf9\""},
	{1, 1, 21, "\"\""},
	{0, 9, 81, "1"},
	{80, 1, 4, "null"},
	{0, 97, 28, "[-1,-1]"},
	{0, 69, 48, "0"},
	{68, 81, 11, "7"},
	{1, 43, 8, "\"\""},
	{0, 5, 10, "\"\""},
	{1, 1, 85, "0"},
	{0, 13, 174, "{}"},
	{0, 1, 38, "0"},
	{1, 1, 69, "[4611686018427387904,4]"},
	{1, 103, 152, "\"\""},
	{1, 1, 11, "9223372036854775807"},
	{1, 1, 39, "[]"},
	{1, 1, 2, "-1"},
	{1, 1, 109, "null"},
	{1, 1, 47, "[4294967296,4294967296]"},
}
