import type { OpenSession } from "@longarm/contract/notification-socket";
import type { Settings } from "@longarm/contract/settings";
import type { Timers } from "@longarm/link/socket";
import type { Live } from "../../../shared/live/live.ts";
import type { Reconnectable } from "./variant.ts";
import { variantOf } from "./variant.ts";

/**
 * A play session must be told for this long before the dialog opens, ms: who has just got up or just sat down is told of it too, for a
 * moment. Once it is open it follows at once.
 */
export const CALM_MS = 1_000;

export type ToldSessionDeps = {
  readonly openSession: Live<OpenSession | undefined>;
  readonly names: Settings["reconnectStatus"];
  readonly timers: Timers;
  /** Opens the dialog with it, changes what it shows, or closes it. */
  readonly show: (session: Reconnectable | undefined) => void;
};

const isSame = (one: Reconnectable | undefined, other: Reconnectable | undefined): boolean =>
  one?.id === other?.id && one?.variant === other?.variant;

/** Whether the open session that was told is shown: on a page that may, calmly, and not again once the player has closed it. */
export class ToldSession {
  readonly #deps: ToldSessionDeps;
  #mayShow = false;
  #shown: Reconnectable | undefined;
  #closed: Reconnectable | undefined;
  #awaited: Reconnectable | undefined;
  #stopWait = (): void => {};

  constructor(deps: ToldSessionDeps) {
    this.#deps = deps;
  }

  /** The platform told something. */
  heard(): void {
    if (!isSame(this.#told(), this.#closed)) this.#closed = undefined;
    this.#place();
  }

  /** A page that may show the dialog is there, or is not any more. */
  mayShow(may: boolean): void {
    this.#mayShow = may;
    this.#place();
  }

  /** It stays closed until the variant changes. */
  close(): void {
    this.#closed = this.#told();
    this.#place();
  }

  #told(): Reconnectable | undefined {
    const open = this.#deps.openSession.getState();
    if (open === undefined) return undefined;
    const { status, ...session } = open;
    return status ? { ...session, variant: variantOf(session.machine_status, this.#deps.names) } : undefined;
  }

  #place(): void {
    const session = this.#mayShow && this.#closed === undefined ? this.#told() : undefined;
    const isOpen = session !== undefined && this.#shown?.id === session.id;
    if (isOpen || this.#shown !== undefined) this.#show(isOpen ? session : undefined);
    if (isOpen || session === undefined) this.#await(undefined);
    else if (this.#awaited === undefined || !isSame(this.#awaited, session)) this.#await(session);
  }

  #await(session: Reconnectable | undefined): void {
    this.#stopWait();
    this.#awaited = session;
    if (session === undefined) return;
    this.#stopWait = this.#deps.timers.after(CALM_MS, () => {
      this.#awaited = undefined;
      this.#show(this.#told());
    });
  }

  #show(session: Reconnectable | undefined): void {
    this.#shown = session;
    this.#deps.show(session);
  }
}
