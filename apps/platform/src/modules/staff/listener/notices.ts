import type { Config } from "../../../config.ts";
import { PLATFORM_VERSION } from "../../players/auth/index.ts";
import {
  addDevice,
  deliveryCounts,
  dropDelivery,
  findDelivery,
  isPushAddress,
  listDeliveries,
  listDevices,
  pushKey,
  removeDevice,
  resend,
  resendDead,
  writeFact,
} from "../../talk/outbox/index.ts";
import { wholeOf } from "../accounts/index.ts";
import { doAct, Refused } from "../sign-in/index.ts";
import { noticesOf, readNotices } from "../tasks/index.ts";
import type { DeskDeps } from "./desk.ts";
import { listed } from "./people.ts";
import type { Handlers, Incoming } from "./routes.ts";

export type NoticeDeps = DeskDeps & {
  readonly pushHosts: readonly string[];
  /** The addresses of the webhook and of the mail server; null: the server has none. */
  readonly endpoints: Endpoints;
};

type Endpoints = Readonly<Record<"webhook" | "mail", string | null>>;

export const endpointsOf = ({ webhook, mail }: Pick<Config, "webhook" | "mail">): Endpoints => ({
  webhook: webhook?.url ?? null,
  mail: mail?.server ?? null,
});

/** Notifications of the caller, the devices that they are pushed to, and what became of the operator's webhook. */
export function noticeHandlers(deps: NoticeDeps): Handlers {
  const { db, source, random, pushHosts } = deps;
  return {
    ...deliveries(deps),
    notices: async ({ caller }) => {
      const { rows, unread } = await noticesOf(db, caller());
      return { ...(await listed(db, rows)), unread };
    },
    readNotices: async ({ caller, body }) => {
      await readNotices(db, caller().staffId, body.upTo);
      return {};
    },
    pushDevices: async ({ caller }) => {
      const rows = await listDevices(source, caller().staffId);
      const shown = rows.map(({ addedAt, usedAt, ...row }) => ({
        ...row,
        addedAt: addedAt.toISOString(),
        usedAt: usedAt?.toISOString() ?? null,
      }));
      return { ...(await listed(db, shown)), publicKey: (await pushKey(source)).publicKey };
    },
    addPushDevice: ({ act, caller, body }) =>
      doAct(deps, act(), async (trx) => {
        const { endpoint, p256dh, auth, label, language } = body;
        if (!isPushAddress(endpoint, pushHosts))
          throw new Refused("act.refused", { sentence: "The push service of this browser is not one of PUSH_HOSTS." });
        const given = { staffId: caller().staffId, endpoint, p256dh, auth, label, language };
        const id = await addDevice(wholeOf(trx), random, given);
        if (id === undefined) throw new Refused("act.refused", { sentence: "Remove a device first." });
        return { id };
      }),
    removePushDevice: ({ act, caller, params }) =>
      doAct(deps, act(), async (trx) => {
        const removed = await removeDevice(wholeOf(trx), caller().staffId, params["id"] ?? "");
        if (!removed) throw new Refused("thing.unknown", { kind: "device" });
        return {};
      }),
  };
}

function deliveries(deps: NoticeDeps): Handlers {
  const { db, source, random, endpoints } = deps;
  const hasWebhook = endpoints.webhook !== null;
  const change =
    (work: typeof resend) =>
    ({ act, params }: Pick<Incoming<"resendDelivery">, "act" | "params">) =>
      doAct(deps, act(), async (trx) => {
        if (!(await work(wholeOf(trx), numberIn(params["id"]))))
          throw new Refused("thing.unknown", { kind: "delivery that was given up" });
        return {};
      });
  return {
    deliveries: async ({ query }) => {
      const { limit, after, state = "all" } = query;
      const rows = await listDeliveries(source, { state, limit, after: after === undefined ? null : numberIn(after) });
      const { waiting, dead, deadSince } = await deliveryCounts(source);
      const next = rows.length === limit ? (rows.at(-1)?.id ?? null) : null;
      return {
        ...(await listed(db, rows.map(shownDelivery), next)),
        configured: hasWebhook,
        ...{ waiting, dead, deadSince: deadSince?.toISOString() ?? null },
      };
    },
    delivery: async ({ params }) => {
      const row = await findDelivery(source, numberIn(params["id"]));
      if (row === undefined) throw new Refused("thing.unknown", { kind: "delivery" });
      const { seq, data, failures, overtakenBy } = row;
      return {
        ...shownDelivery(row),
        endpoint: addressOf(endpoints[row.channel]),
        ...{ seq, data: row.channel === "mail" ? null : JSON.stringify(data, null, 2), overtakenBy },
        failures: failures.map(({ at, answer }) => ({ at: new Date(at).toISOString(), answer })),
      };
    },
    resendDeliveries: ({ act }) => doAct(deps, act(), async (trx) => await resendDead(wholeOf(trx))),
    resendDelivery: change(resend),
    dropDelivery: (call) => change(dropDelivery)(call),
    testWebhook: ({ act, caller }) =>
      doAct(deps, act(), async (trx) => {
        if (!hasWebhook) throw new Refused("act.refused", { sentence: "The server has no webhook: set WEBHOOK_URL." });
        const data = { by: caller().staffId, version: PLATFORM_VERSION };
        await writeFact(trx, random, { type: "webhook.test", subject: `staff:${caller().staffId}`, data });
        return {};
      }),
  };
}

function shownDelivery(row: Awaited<ReturnType<typeof listDeliveries>>[number]) {
  const { id, channel, type, subject, fact, state, attempts, lastAnswer } = row;
  return {
    ...{ id, channel, type, subject, fact, state, attempts, lastAnswer },
    madeAt: row.madeAt.toISOString(),
    triedAt: row.triedAt?.toISOString() ?? null,
    dueAt: state === "waiting" ? row.dueAt.toISOString() : null,
    endedAt: row.endedAt?.toISOString() ?? null,
  };
}

/** An address without what signs in at it. */
function addressOf(href: string | null): string | null {
  const url = href === null ? null : URL.parse(href);
  return url && `${url.protocol}//${url.host}${url.pathname === "/" ? "" : url.pathname}`;
}

/** A number of an address or a query; one that is none names nothing. */
const numberIn = (text: string | undefined): number => (/^\d{1,15}$/.test(text ?? "") ? Number(text) : 0);
