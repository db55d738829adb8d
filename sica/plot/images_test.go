package plot

import (
	"image/color"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestImagesAreSharp(t *testing.T) {
	// A checkerboard of 4×4, enlarged 48 times to 192: every pixel of the
	// picture is exactly black or white, and in its place.
	board := mat.NewDense(1, 16, nil)
	board.Apply(func(_, t int, _ float64) float64 { return float64((t/4 + t%4) % 2) }, board)
	p, err := Images(4, 4, Group{Method: Truth, Signals: board})
	if err != nil {
		t.Fatal(err)
	}
	img := decode(t, p)
	left := img.Bounds().Dx() - 192 - 8
	for y := range 192 {
		for x := range 192 {
			want := black
			if (y/48+x/48)%2 == 1 {
				want = white
			}
			if got := color.NRGBAModel.Convert(img.At(left+x, 30+y)); got != want {
				t.Fatalf("pixel (%d, %d) of the image is %v, want %v", x, y, got, want)
			}
		}
	}
}

func TestGreyImage(t *testing.T) {
	grey, err := greyImage([]float64{-1, 0, 3, 1}, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint8{0, 64, 255, 128} {
		if grey.Pix[i] != want {
			t.Errorf("pixel %d is %d, want %d", i, grey.Pix[i], want)
		}
	}
	if grey, err = greyImage([]float64{5, 5}, 1, 2); err != nil || grey.Pix[0] != 128 || grey.Pix[1] != 128 {
		t.Errorf("a constant image is %v, %v, want mid-grey", grey.Pix, err)
	}
}

func TestFit(t *testing.T) {
	for _, test := range []struct{ width, height, room, wantWidth, wantHeight int }{
		{32, 32, 192, 192, 192},
		{32, 32, 191, 160, 160},
		{28, 14, 100, 84, 42},
		{512, 256, 128, 128, 64},
		{1000, 1, 100, 100, 1},
	} {
		width, height := fit(test.width, test.height, test.room)
		if width != test.wantWidth || height != test.wantHeight {
			t.Errorf("fit(%d, %d, %d) = %d, %d, want %d, %d",
				test.width, test.height, test.room, width, height, test.wantWidth, test.wantHeight)
		}
	}
}
