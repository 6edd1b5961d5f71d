import type { Source } from "../ports/source.ts";

/** A source that nobody opens. */
export const noSource: Source = {
  format: { width: 16, height: 16, frameRate: 1, audio: false },
  open: () => Promise.reject(new Error("this source has no picture")),
  still: () => Promise.reject(new Error("this source has no picture")),
};
