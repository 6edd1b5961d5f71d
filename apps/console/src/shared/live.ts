import type { StaffCallName } from "@longarm/contract/staff";
import { STAFF_SOCKET_PATH, staffSocket } from "@longarm/contract/staff";
import { openBrowserSocket } from "@longarm/link/browser-socket";
import { createPeer } from "@longarm/link/peer";
import type { FrameSocket, Timers } from "@longarm/link/socket";
import { stayConnected } from "@longarm/link/stay-connected";
import type { QueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "./api.ts";

/** What is read again when a part changed. */
const READS: Readonly<Record<string, readonly StaffCallName[]>> = {
  approvals: ["approvals", "approval", "payments", "payment"],
  payments: ["payments", "payment", "paymentOfCode"],
  handPays: ["handPays", "machine"],
  unresolved: ["unresolved"],
  discrepancies: ["discrepancies", "discrepancy"],
  shifts: ["shifts", "myShift"],
  stops: ["stops"],
  agents: ["agents", "machines", "machineLife"],
  staff: ["staff", "roles"],
  signIns: ["signIns", "mySignIns"],
  notices: ["notices"],
  campaigns: ["campaigns", "campaign", "campaignGrants"],
  deliveries: ["deliveries", "delivery"],
  settings: ["settings", "settingsVersions"],
};

/** Where the rows of a call without parameters are kept. */
export const keyOfCall = (name: StaffCallName) => [name, {}, {}] as const;

type Row = { readonly id: string };
type Rows<Of extends Row> = { readonly rows: readonly Of[] };

/** The rows with those that changed in their places, new ones at the end, and without those that are gone. */
export function merged<Of extends Row>(before: readonly Of[], changed: readonly Of[], gone: readonly string[]): Of[] {
  const fresh = new Map(changed.map((row) => [row.id, row]));
  const away = new Set(gone);
  const kept = before.filter(({ id }) => !away.has(id)).map((row) => fresh.get(row.id) ?? row);
  const known = new Set(kept.map(({ id }) => id));
  return [...kept, ...changed.filter(({ id }) => !known.has(id))];
}

/** Keeps the staff socket of one sign-in open: pushed rows go into what the pages show. Answers how to end it. */
export function keepLive(deps: {
  readonly address: string;
  readonly queries: QueryClient;
  readonly timers: Timers;
  readonly random: () => number;
  /** Whether pushes come. */
  readonly onLive: (isLive: boolean) => void;
  /** The sign-in is another one than it was: locked, ended, or with other rights. */
  readonly onSignIn: () => void;
  readonly open?: (url: string) => Promise<FrameSocket>;
}): () => void {
  const { queries } = deps;
  const open = deps.open ?? openBrowserSocket;

  /** Before the first whole answer there is nothing to merge into: the page reads it now. */
  function put<Of extends Row>(name: "floor" | "tasks", changed: readonly Of[], gone: readonly string[]): void {
    queries.setQueryData<Rows<Of>>(keyOfCall(name), (now) =>
      now === undefined ? undefined : { ...now, rows: merged(now.rows, changed, gone) },
    );
  }

  const link = stayConnected({
    open: () => open(deps.address),
    timers: deps.timers,
    random: deps.random,
    onState: ({ is }) => deps.onLive(is === "open"),
    session(socket, lost) {
      // What changed while there was no socket.
      void queries.invalidateQueries();
      createPeer({
        contract: staffSocket,
        end: "client",
        socket,
        timers: deps.timers,
        handlers: {},
        listeners: {
          floor: ({ rows, gone }) => put<AnswerOf<"floor">["rows"][number]>("floor", rows, gone),
          tasks: ({ rows, over }) => put<AnswerOf<"tasks">["rows"][number]>("tasks", rows, over),
          changed({ parts }) {
            if (parts.includes("me")) deps.onSignIn();
            for (const name of parts.flatMap((part) => READS[part] ?? []))
              void queries.invalidateQueries({ queryKey: [name] });
          },
          locked: deps.onSignIn,
          ended: deps.onSignIn,
        },
        onClose: lost,
        log: () => {},
      });
    },
  });
  return link.stop;
}

/** The socket's address beside the page's own. */
export const socketAddress = ({ protocol, host }: Location): string =>
  `${protocol === "https:" ? "wss" : "ws"}://${host}${STAFF_SOCKET_PATH}`;
