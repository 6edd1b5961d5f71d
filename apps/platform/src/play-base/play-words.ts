/** The states of a seat (architecture.md section 4). `free` is also *settled*: nobody's, the epoch kept. */
export const PLAY_STATES = [
  "free",
  "seated",
  "playing",
  "idling",
  "inGame",
  "inBonus",
  "waiting",
  "bonusWaiting",
  "ending",
  "transferUnknown",
  "handPay",
  "fault",
  "agentAway",
  "draining",
] as const;
export type PlayState = (typeof PLAY_STATES)[number];

/** Why a play session ends; kept with it. */
export const END_REASONS = [
  "left",
  "noDeposit",
  "idle",
  "lostLink",
  "cancelled",
  "kicked",
  "banned",
  "excluded",
  "limit",
  "house",
] as const;
export type EndReason = (typeof END_REASONS)[number];
