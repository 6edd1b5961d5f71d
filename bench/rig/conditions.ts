import type { MediaPath } from "../../e2e/damage/damage-path.ts";
import { LOSSY, NARROW } from "../../e2e/damage/udp-relay.ts";

/** A way between browser and agent. */
export type Condition = {
  /** What it is asked for by. */
  readonly id: "clean" | "lossy" | "narrow" | "tcp" | "turn-udp" | "turn-tcp";
  readonly name: string;
  /** Null: straight. */
  readonly damage: MediaPath | null;
  /** Through a TURN server and by no other way; how the page reaches that server. */
  readonly turn?: "udp" | "tcp";
};

export const CLEAN_WAY: Condition = { id: "clean", name: "clean", damage: null };
export const LOSSY_WAY: Condition = { id: "lossy", name: "3 % loss, 40 ms each way", damage: LOSSY };
export const NARROW_WAY: Condition = { id: "narrow", name: "1.5 Mbit/s, 20 ms each way", damage: NARROW };

/** Every way that can be asked for. */
export const CONDITIONS: readonly Condition[] = [
  CLEAN_WAY,
  LOSSY_WAY,
  NARROW_WAY,
  { id: "tcp", name: "TCP, no UDP", damage: "tcp only" },
  { id: "turn-udp", name: "TURN over UDP", damage: null, turn: "udp" },
  { id: "turn-tcp", name: "TURN over TCP", damage: null, turn: "tcp" },
];
