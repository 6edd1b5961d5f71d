/** Pictures of one look at what the encoder makes: half a second. */
const LOOK_PICTURES = 15;
/** Below this share of what is wanted the reels rest, which says nothing. */
const RESTING_SHARE = 0.5;
/** More would flood a narrow link before the next look when a picture full of change follows a quiet one. */
const GAIN_MAX = 1.3;
/** One look raises it by no more than this; too much is taken back at once. */
const RISE_MOST = 1.1;

/**
 * What the encoder is told, so that it makes what the link may carry. Held to a buffer of one and a half pictures x264 makes some 70 %
 * of what it is told while the reels turn, and a narrow link would lie idle for the rest.
 */
export interface EncoderGain {
  /** The bitrate to tell, for the one that is wanted, bit/s. */
  told(wantedBps: number): number;
  /** A picture was made, of so many bytes. */
  made(bytes: number): void;
}

/** Never tells more than `bitrateMax`, bit/s. `frameRate` is in pictures a second. */
export function createEncoderGain(frameRate: number, bitrateMax: number): EncoderGain {
  let gain = 1;
  let wanted = 0;
  let pictures = 0;
  let bytes = 0;
  return {
    told(wantedBps) {
      wanted = wantedBps;
      return Math.max(wantedBps, Math.min(bitrateMax, wantedBps * gain));
    },
    made(size) {
      pictures += 1;
      bytes += size;
      if (pictures < LOOK_PICTURES) return;
      const share = wanted === 0 ? 0 : (bytes * 8 * frameRate) / pictures / wanted;
      pictures = 0;
      bytes = 0;
      if (share >= RESTING_SHARE) gain = Math.min(GAIN_MAX, Math.max(1, gain * Math.min(RISE_MOST, 1 / share)));
    },
  };
}
