import type { AnswerOf } from "../../shared/api.ts";
import { useMay } from "../../shared/me.ts";

type Row = AnswerOf<"players">["rows"][number];
type Limits = AnswerOf<"player">["limits"];

/** Whom an act is about. `limits`: null where the person may not see them. */
export type Subject = Pick<Row, "player" | "name" | "state"> & {
  readonly limits: Limits | null;
  /** Absent: not known here. */
  readonly passkeys?: number;
  readonly recoveryCodes?: number;
  readonly hasApp?: boolean;
};

export type PlayerAct =
  | "grantBonus"
  | "stricterLimits"
  | "looserLimits"
  | "exclude"
  | "liftExclusion"
  | "newPassword"
  | "endSignIns"
  | "removeKeys"
  | "banPlayer"
  | "unbanPlayer";

/** Acts that take something away from the player. */
export const DANGERS: ReadonlySet<PlayerAct> = new Set(["exclude", "banPlayer", "removeKeys"]);
/** What an act changes on the screens. */
export const PLAYER_READS = ["player", "players", "approvals"] as const;

const isExcluded = ({ state, limits }: Subject): boolean =>
  state === "excluded" || (limits !== null && limits.excludedUntil !== null);

const hasLimit = ({ limits }: Subject): boolean =>
  limits?.counted.some(({ value, owner }) => value !== null && owner !== "market") ?? false;

const hasKeys = ({ passkeys = 0, recoveryCodes = 0, hasApp = false }: Subject): boolean =>
  hasApp || passkeys + recoveryCodes > 0;

/** What this person may do for this player now. A ban and an exclusion are apart: one is lifted while the other holds. */
export function useOfferedActs(subject: Subject): readonly PlayerAct[] {
  const mayGrant = useMay("bonus.grant");
  const mayStricter = useMay("limit.stricter");
  const mayLooser = useMay("limit.looser");
  const mayLock = useMay("player.lock");
  const isBanned = subject.state === "banned";
  return [
    ...(mayGrant && !isBanned ? (["grantBonus"] as const) : []),
    ...(mayStricter ? (["stricterLimits"] as const) : []),
    ...(mayLooser && hasLimit(subject) ? (["looserLimits"] as const) : []),
    ...(mayLock ? (["newPassword", "endSignIns"] as const) : []),
    ...(mayLock && hasKeys(subject) ? (["removeKeys"] as const) : []),
    ...(mayLooser && isExcluded(subject) ? (["liftExclusion"] as const) : []),
    ...(mayStricter ? (["exclude"] as const) : []),
    ...(mayLock ? ([isBanned ? "unbanPlayer" : "banPlayer"] as const) : []),
  ];
}
