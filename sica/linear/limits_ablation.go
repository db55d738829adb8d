//go:build ablation

package linear

import "github.com/seed-47b1e431/gosica/internal/ablation"

func init() {
	ablation.Register(map[string]*float64{
		"anglegain":          &angleGain,
		"clearlylonger":      &clearlyLonger,
		"clearlyshorter":     &clearlyShorter,
		"coarseresolution":   &coarseResolution,
		"distinctspread":     &distinctSpread,
		"doubtfuldependence": &doubtfulDependence,
		"hidingshare":        &hidingShare,
		"minEvidence":        &minEvidence,
		"mindependence":      &minIndependence,
		"minchannelnoise":    &minChannelNoise,
		"maxnoisegain":       &maxNoiseGain,
		"maxnoisekurtosis":   &maxNoiseKurtosis,
		"maxnoiseshare":      &maxNoiseShare,
		"maxunseennoise":     &maxUnseenNoise,
		"minsignal":          &minSignal,
		"nearlyasgood":       &nearlyAsGood,
		"rejection":          &rejection,
		"settledshare":       &settledShare,
		"strongpower":        &strongPower,
		"surpluserrors":      &surplusErrors,
	})
}
