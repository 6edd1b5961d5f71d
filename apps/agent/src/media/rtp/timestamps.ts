/** Ticks a second of the video RTP clock. */
export const VIDEO_CLOCK_HZ = 90_000;
/** Ticks a second of the Opus RTP clock. */
export const SOUND_CLOCK_HZ = 48_000;

const RTP_TIMESTAMP_SPAN = 2 ** 32;
/** Seconds from 1900 (NTP) to 1970 (Unix). */
const NTP_OFFSET_SECONDS = 2_208_988_800;

/** The RTP timestamp of a moment on the capture clock (ms): the clock itself, in ticks, modulo 2^32. */
export function rtpTimestamp(capturedAtMs: number, clockHz: number): number {
  return Math.round((capturedAtMs * clockHz) / 1000) % RTP_TIMESTAMP_SPAN;
}

/** 64 bit NTP time of a Unix time in ms, as its two 32 bit halves. */
export function ntpTime(unixMs: number): { seconds: number; fraction: number } {
  const whole = Math.floor(unixMs / 1000);
  const fraction = Math.floor(((unixMs - whole * 1000) / 1000) * 2 ** 32);
  return { seconds: (whole + NTP_OFFSET_SECONDS) % 2 ** 32, fraction };
}

/** The middle 32 bits of an NTP time, as a receiver report echoes it (LSR). */
export function compactNtp(unixMs: number): number {
  const { seconds, fraction } = ntpTime(unixMs);
  return (seconds % 65_536) * 65_536 + Math.floor(fraction / 65_536);
}

/** abs-send-time: seconds modulo 64 with 18 bits of fraction, 24 bits in all. */
export function absSendTime(unixMs: number): number {
  return Math.floor((unixMs % 64_000) * (2 ** 18 / 1000)) % 2 ** 24;
}
