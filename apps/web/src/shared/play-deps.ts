import type { FinalReason } from "@longarm/contract/envelope";
import type { LobbyMachine, MachineState } from "@longarm/contract/lobby-lists";
import type { Balance, OpenSession } from "@longarm/contract/notification-socket";
import type { Settings } from "@longarm/contract/settings";
import type { Timers } from "@longarm/link/socket";
import type { Live } from "@longarm/ui/live.ts";
import type { SayMessage } from "@longarm/ui/messages.ts";
import type { ReactNode } from "react";
import type { ApiClient } from "./api/client.ts";
import type { Log } from "./log/log.ts";
import type { Addresses } from "./settings/addresses.ts";
import type { NotificationEvents } from "./sockets/notification-events.ts";
import type { Storage } from "./storage/storage.ts";

/** What the wallet shows now. `undefined` until the first answer. */
export type WalletNow = Balance | undefined;

/** A machine to go to. */
export type MachineRef = { readonly id: string; readonly name: string };

/** A machine that is kept for the player, who sits at another one. */
export type CalledAway = {
  readonly machine: MachineRef;
  /** On the page's clock. */
  readonly endsAt: number;
  /** How long it is kept in all, ms. */
  readonly ofMs: number;
  /** Lets it pass. False: that failed. */
  readonly stay: () => Promise<boolean>;
};

/** Why the game is left. `status`: the machine is no longer in play for us; `ended`: the platform ended the play session with this code. */
export type LeaveReason =
  /** `returned`: credits that went back to the wallet, minor units, where the platform said so. `to`: not to the lobby, but to this machine. */
  | { readonly is: "left"; readonly returned?: number; readonly to?: MachineRef }
  /** The machine on the screen is no longer in play: what its status says instead. */
  | { readonly is: "status"; readonly state: MachineState }
  /** The platform closed the game socket for good. */
  | { readonly is: "closed"; readonly reason: FinalReason }
  /** `why`: `limit`, a limit of the player is reached. */
  | { readonly is: "ended"; readonly code: string | number; readonly why?: string }
  | {
      readonly is: "refused";
      readonly code: string | number;
      readonly params?: Readonly<Record<string, string | number>>;
      readonly message?: string;
    };

/** Everything the game screen is given; it reaches for nothing else. The route makes it (`app/game/play-deps.ts`). */
export type PlayDeps = {
  readonly api: ApiClient;
  readonly settings: Settings;
  readonly addresses: Addresses;
  /** The token now, or null when the player is signed out. */
  readonly token: () => string | null;
  /** The signed-in player's id. */
  readonly playerId: string;
  /** The machine as the lobby last saw it, when it did: its brand, still and own socket address. */
  readonly machine: LobbyMachine | undefined;
  /** Goes to the lobby, with a message when the reason has one. Called once; the screen is unmounted after it. */
  readonly leave: (reason: LeaveReason) => void;
  /** `machine`, `balance` and `session` of the notification socket, as they come. */
  readonly events: NotificationEvents;
  readonly wallet: Live<WalletNow>;
  /** The player's open play session elsewhere, as last pushed, or undefined. */
  readonly openSession: Live<OpenSession | undefined>;
  /** How many players wait for this machine; undefined: it has no queue. */
  readonly waiting: Live<number | undefined>;
  /** A machine that calls the player away from here. */
  readonly calledAway: Live<CalledAway | undefined>;
  /** The player's last games and a question about one of them, beside the game. */
  readonly questions: () => ReactNode;
  readonly storage: Storage;
  /** Shows a message at the top: 6 s, toasts 3 s. */
  readonly say: SayMessage;
  readonly clock: { now(): number };
  readonly timers: Timers;
  /** 0 to below 1, for spreading waits. */
  readonly random: () => number;
  /** A new id for a money command. */
  readonly newId: () => string;
  readonly log: Log;
};
