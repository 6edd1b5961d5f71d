import type { MachineState } from "@longarm/contract/machine";
import type { Settings } from "@longarm/contract/settings";
import type { LeaveReason } from "../../../shared/play-deps.ts";

/** The code whose text tells why a game socket was closed for good. */
const CODE_OF_CLOSE: Readonly<Record<string, number>> = {
  "taken over": 60016,
  banned: 10704,
  kicked: 50100,
  ended: 18801,
  "bad token": 10,
  "logged out": 50100,
};

/** What the lobby says after the platform closed the game socket with 4000 and this reason. */
export function reasonOfClose(reason: string): LeaveReason {
  const code = CODE_OF_CLOSE[reason];
  if (code === undefined) return { is: "refused", code: 50100, ...(reason !== "" && { message: reason }) };
  return { is: "ended", code };
}

export type MachineTold = { readonly id: string; readonly status: number };

/**
 * Whether a `machine` notification ends the game (R-2.5-07): the machine on the screen is not being played any more. Nothing counts
 * before the seat is ours, and while our own socket is away a machine that waits for its player waits for us.
 */
export function endsGame(
  told: MachineTold,
  about: {
    readonly machineId: string;
    readonly seated: boolean;
    readonly online: boolean;
    readonly settings: Settings;
  },
): boolean {
  if (String(told.id) !== String(about.machineId) || !about.seated) return false;
  const state: MachineState | undefined = about.settings.machineStatus[String(told.status)];
  if (state === "playing") return false;
  return about.online || state !== "waiting";
}
