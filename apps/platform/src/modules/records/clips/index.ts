export { noteAnchor } from "./anchors.ts";
export type { Clip, ClipReads, Clips, ClipWish } from "./clips.ts";
export { clipReads, createClips } from "./clips.ts";
export { createPlayerClips } from "./player-routes.ts";
export { clipOfGame, gameWish, partOf, wantClip } from "./served.ts";
export { PARTS_PER_MINUTE, sendPart } from "./stream.ts";
export type { ClipReason, ClipState } from "./tables.ts";
