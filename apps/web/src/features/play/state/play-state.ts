import type { MachineAbout } from "@longarm/contract/about-machine";
import type { InitAnswer } from "@longarm/contract/game-socket";
import type { IceServer } from "@longarm/contract/ice-server";
import type { Band, Button, MachineLimits, Meters } from "@longarm/contract/machine";
import type { CountdownCode } from "@longarm/contract/problems";
import type { Answer } from "@longarm/link/answer";
import type { TextParams } from "../../../shared/i18n/fill-text.ts";
import type { Live } from "../../../shared/live/live.ts";
import type { Attendant } from "./attendant.ts";
import type { AutoplayControl } from "./autoplay/control.ts";
import type { LinkReport } from "./connection/link-report.ts";
import type { News } from "./machine/machine-news.ts";
import { NO_NEWS } from "./machine/machine-news.ts";
import type { Direction } from "./money/open-transfer.ts";
import type { TransferState } from "./money/transfers.ts";
import type { Readout } from "./picture/readout.ts";
import { LOST_READOUT } from "./picture/readout.ts";
import type { RtcStreams } from "./picture/rtc-port.ts";
import type { WayTried } from "./picture/trial.ts";
import type { Wanted } from "./picture/wanted.ts";
import type { Pressed, Reels } from "./press/panel.ts";
import type { PressTimes } from "./press/press-times.ts";
import type { Step } from "./recovery/ladder.ts";
import type { Way } from "./recovery/way.ts";

/** `opening` until the seat is ours; `leaving` until the credits are back; `gone`: the lobby comes. */
export type Phase = "opening" | "playing" | "leaving" | "checking" | "gone";

export type Machine = InitAnswer["machine"];

/** A sentence for the player about a press, by its text key in `play`. */
export type PressNote = "stakeChanged" | "pressRefused" | "pressUnknown" | "noCredit" | "locked";

/** Why a leave did not happen, by wire code. */
export type LeaveRefusal = { readonly code: number | string; readonly params: TextParams; readonly message: string };

/** Everything the screen draws, but what changes by itself several times a second. */
export type PlayState = {
  readonly phase: Phase;
  /** False while the game socket is away. */
  readonly online: boolean;
  /** What the platform said when it closed the game socket, while that is away. */
  readonly closedBecause: string | undefined;
  /** The machine's own agent is away: no meters and no money meanwhile. */
  readonly agentAway: boolean;
  /** Pictures come. */
  readonly live: boolean;
  /** What is being done about missing pictures; undefined: nothing needs to be. */
  readonly recovery: Step | undefined;
  /** False: the link is too poor to see what a press does, and SPIN does not press. */
  readonly fair: boolean;
  /** A picture was seen since the screen opened. */
  readonly started: boolean;
  readonly streams: RtcStreams;
  /** The machine has a room camera. */
  readonly webcam: boolean;
  readonly machine: Machine | undefined;
  /** Ordered as they are shown. */
  readonly bands: readonly Band[];
  readonly buttons: readonly Button[];
  readonly limits: MachineLimits | undefined;
  readonly playSession: InitAnswer["playSession"];
  readonly meters: Meters | undefined;
  /** Games played on the machine before this page took the seat. */
  readonly gamesBefore: number | undefined;
  /** Won (+) or lost (−) in this play session so far, minor units. */
  readonly netMinor: number | undefined;
  readonly countdown: { readonly code: CountdownCode; readonly count: number } | undefined;
  /** The platform lets the page ask for the seat again at this time, ms since 1970. */
  readonly heldUntil: number | undefined;
  /** How many watch this machine. */
  readonly spectators: number;
} & News;

export const FIRST_STATE: PlayState = {
  phase: "opening",
  online: false,
  closedBecause: undefined,
  agentAway: false,
  live: false,
  recovery: undefined,
  fair: true,
  started: false,
  streams: { video: undefined, audio: undefined, room: undefined },
  webcam: false,
  machine: undefined,
  bands: [],
  buttons: [],
  limits: undefined,
  playSession: undefined,
  meters: undefined,
  gamesBefore: undefined,
  netMinor: undefined,
  countdown: undefined,
  heldUntil: undefined,
  spectators: 0,
  ...NO_NEWS,
};

/** The link readout with what the last press took. */
export type LinkNow = { readonly readout: Readout; readonly press: PressTimes | undefined };
export const FIRST_LINK: LinkNow = { readout: LOST_READOUT, press: undefined };

/** A picture that the screen shows now. `rtp`: its RTP timestamp, where the browser tells it. `shownAt`: ms of the page's clock. */
export type FrameShown = { readonly shownAt: number; readonly rtp: number | undefined };

/** One player at one machine, from the opening of the screen to its end. Plain: it knows neither React nor a browser. */
export type PlaySession = {
  readonly state: Live<PlayState>;
  readonly reels: Live<Reels>;
  readonly autoplay: AutoplayControl;
  /** The call for an attendant. */
  readonly attendant: Pick<Attendant, "state" | "call">;
  readonly transfer: Live<TransferState>;
  readonly link: Live<LinkNow>;
  /** The last press that went wrong, until it is read. */
  readonly note: Live<PressNote | undefined>;
  readonly leaveRefusal: Live<LeaveRefusal | undefined>;
  /** Presses SPIN; while autoplay is on it stops that instead. */
  spin(): Pressed;
  press(button: string): Pressed;
  /** Money to the machine or back; `amount` null: all of it (cash-out). False when one is under way. */
  transferMoney(direction: Direction, amount: number | null): boolean;
  /** The outcome of the last transfer was seen. */
  clearTransfer(): void;
  clearNote(): void;
  /** Answers the countdown that asks whether the player goes on. */
  goOn(): void;
  /** Gets up: all credits go back, then the lobby comes. */
  leave(): void;
  /** Goes to the lobby without waiting any longer: the platform sees to the credits. */
  leaveNow(): void;
  frameShown(frame: FrameShown): void;
  /** What of the machine's pictures is to be sent from now on; what is not wanted is not decoded either. */
  want(wanted: Partial<Wanted>): void;
  /** The network came back or changed, or the page is seen again. */
  wake(newNetwork?: boolean): void;
  /** Everything that is known of the link, the last minute of it too. */
  linkReport(): LinkReport;
  /** For the self-test: whether a connection can be made on this way. It takes the place of the one that brings no picture. */
  tryWay(way: Way): Promise<WayTried>;
  /** What the machine states of its game. */
  about(): Promise<Answer<MachineAbout>>;
  /** The STUN and TURN servers, minted anew where they are old. */
  iceServers(): Promise<readonly IceServer[]>;
};
