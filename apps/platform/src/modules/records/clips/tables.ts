import type { ClipManifest } from "@longarm/contract/recording";
import type { Generated, Kysely } from "kysely";

/** `missing`: there is none, or none any more; another wish for the same clip tries again. */
export type ClipState = "wanted" | "fetching" | "ready" | "missing";
/** Why there is no clip; with `agentAway` it is still tried. */
export type ClipReason = "notRecorded" | "deleted" | "agentAway" | "failed";

export type ClipTables = {
  record_anchor: {
    machine_id: string;
    play_session_id: string;
    links: number;
    head: string;
    agent_id: string;
    noted_at: Generated<Date>;
  };
  clip: {
    id: string;
    machine_id: string;
    play_session_id: string;
    game_number: number | null;
    from_ms: number;
    to_ms: number;
    state: Generated<ClipState>;
    reason: ClipReason | null;
    manifest: ClipManifest | null;
    skew_ms: number | null;
    skew_within_ms: number | null;
    wanted_at: Generated<Date>;
    next_at: Generated<Date>;
    tries: Generated<number>;
  };
  clip_part: { clip_id: string; name: string; sha256: string; bytes: Buffer };
  clip_hold: { clip_id: string; case_id: string; held_at: Generated<Date> };
  clip_hold_change: { clip_id: string; held: boolean };
  clip_reading: { clip_id: string; staff_id: string; hour: Generated<Date> };
};

export type ClipDb = Kysely<ClipTables>;
