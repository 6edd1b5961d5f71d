import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { PlatformDeps } from "../../../deps.ts";
import { openHttpServer, portOf, protectRoutes } from "../../../http-server.ts";
import { openIssuer } from "../../../openid.ts";
import { clientAddress } from "../../../plugins/client-address.ts";
import { callLimit } from "../../../plugins/limits.ts";
import { createSockets } from "../../../plugins/sockets.ts";
import { serveBuild } from "../../../plugins/static-files.ts";
import type { Play } from "../../play/index.ts";
import { askOperation } from "../../play/operations/index.ts";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { createPasswords, openKeys } from "../../players/accounts/index.ts";
import type { AuthTables } from "../../players/auth/index.ts";
import { createBursts, createLockout, createNotices, PLATFORM_VERSION } from "../../players/auth/index.ts";
import { openAudit } from "../../records/audit/index.ts";
import type { Clips } from "../../records/clips/index.ts";
import type { StaffTables } from "../accounts/index.ts";
import type { ActDeps } from "../sign-in/index.ts";
import { createDirectorySignIn, createSignIn, Refused, staffNames } from "../sign-in/index.ts";
import type { Tasks } from "../tasks/index.ts";
import { approvalHandlers } from "./approvals.ts";
import { campaignExecutes, campaignHandlers } from "./campaigns.ts";
import { careActs, careHandlers } from "./care.ts";
import { clipHandlers, clipPartRoute } from "./clips.ts";
import type { ActsDeps, DeskDeps } from "./desk.ts";
import { directoryHandlers } from "./directory.ts";
import { disputeActs, disputeExecutes, disputeHandlers } from "./disputes.ts";
import { evidenceRoute } from "./evidence.ts";
import { fleetExecutes, fleetHandlers } from "./fleet.ts";
import { floorExecutes, floorHandlers, stopHandlers } from "./floor.ts";
import type { GuardDeps } from "./guard.ts";
import { sendStaffProblem } from "./guard.ts";
import { identityExecutes, identityHandlers } from "./identity.ts";
import { marketExecutes, marketHandlers } from "./markets.ts";
import { moneyExecutes, moneyHandlers } from "./money.ts";
import { endpointsOf, noticeHandlers } from "./notices.ts";
import { paymentHandlers } from "./payments.ts";
import { peopleHandlers } from "./people.ts";
import { playerExecutes, playerHandlers } from "./players.ts";
import { recordHandlers } from "./records.ts";
import { reportFileRoute, reportHandlers, withPaytables } from "./reports.ts";
import { addRoutes, stillRoute } from "./routes.ts";
import type { SettingsParts } from "./settings.ts";
import { settingsActs, settingsExecutes, settingsHandlers } from "./settings.ts";
import { createPushes } from "./socket.ts";
import { taskHandlers } from "./tasks.ts";
import { createVideos } from "./video.ts";
import { wallHandlers, wallRoutes } from "./walls.ts";

/** The staff's side of a platform: a server of its own, with another port and origin than the players'. */
export type StaffListener = {
  readonly app: FastifyInstance;
  /** Where staff reaches the console. */
  href(): string;
  /** Listens, and logs the console's address. */
  listen(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Builds the staff's server from the same plugins as the players' one, with the console's files, and nothing of its routes, sockets or files: who
 * reaches only one of the two ports can call nothing of the other. Undefined: STAFF_PORT is not set.
 */
export async function createStaffListener(
  deps: PlatformDeps & { readonly clips: Clips },
  agents: Play["agents"],
  tasks: Tasks,
  settings: SettingsParts,
): Promise<StaffListener | undefined> {
  const { config, random, clock } = deps;
  const { staff } = config;
  if (staff.portNumber === null) return undefined;
  const db = deps.db.kysely.withTables<StaffTables>();
  const { app } = openHttpServer(deps, answerFailure);
  app.decorateRequest("staff", null);
  const origin = () => staff.publicUrl ?? `http://localhost:${portOf(app) ?? staff.portNumber}`;
  const ownConfig = { ...config, publicUrl: staff.publicUrl, allowedOrigins: [], host: staff.host };
  await protectRoutes(app, { config: ownConfig }, undefined, tooMany);
  const pageOf = await serveBuild(app, config.consoleFolder, deps.log);
  app.setNotFoundHandler(
    (request, reply) =>
      pageOf(request, reply) ?? sendStaffProblem(reply, { name: "thing.unknown", params: { kind: "address" } }),
  );

  const node = config.play.NODE_ID;
  const rp = () => ({ id: new URL(origin()).hostname, origins: [origin()] as const });
  const shared = { db, node, random, rp, log: deps.log };
  const venue = { ...staff.venue, operatorWallet: config.wallet !== null, node, version: PLATFORM_VERSION };
  const people = { ...shared, ...(await openSignIn(deps, shared)), idleMs: staff.idleMs, origin, venue };
  const limits = { open: callLimit(app, config.limits.loginsPerMinuteAddress, undefined, undefined, tooMany) };
  const desk = deskOf(deps, shared, tasks);
  const executes = executesOf(desk);
  const guard = { db, idleMs: staff.idleMs, origin };
  stillRoute(app, guard, agents);
  const walls = { ...desk, clock, origin, venue, agents };
  wallRoutes(app, walls);
  fileRoutes(app, guard, { ...deps, desk, venue });
  addRoutes(app, guard, limits, {
    ...peopleHandlers(people),
    ...directoryHandlers(people),
    ...approvalHandlers({ ...shared, origin, secondPerson: staff.venue.secondPerson, executes }),
    ...taskHandlers(desk),
    ...noticeHandlers({ ...desk, pushHosts: config.push.hosts, endpoints: endpointsOf(config) }),
    ...floorHandlers(desk),
    ...{ ...moneyHandlers(desk), ...paymentHandlers({ ...desk, providers: config.providers }) },
    ...playerHandlers(desk),
    ...identityHandlers(desk),
    ...marketHandlers(desk),
    ...{ ...careHandlers(desk, settings), ...disputeHandlers(desk), ...clipHandlers(desk, deps.clips) },
    ...campaignHandlers(desk),
    ...recordHandlers(desk),
    ...fleetHandlers(desk),
    ...wallHandlers(walls),
    ...reportHandlers(desk),
    ...settingsHandlers(desk, settings, config),
  });
  const sockets = openSockets(deps, app, { ...desk, origin, agents });
  await app.ready();

  return {
    app,
    href: origin,
    async listen() {
      await app.listen({ host: staff.host, port: staff.portNumber ?? 0 });
      deps.log.info({ href: origin() }, "the console serves");
    },
    async close() {
      const closed = app.close();
      await sockets.close();
      await closed;
    },
  };
}

export type { ActsDeps } from "./desk.ts";

/** What is read as a file: reports and recordings. */
function fileRoutes(
  app: FastifyInstance,
  guard: GuardDeps,
  {
    clips,
    desk,
    venue,
  }: { readonly clips: Clips; readonly desk: DeskDeps; readonly venue: Parameters<typeof reportFileRoute>[3] },
): void {
  reportFileRoute(app, guard, desk, venue);
  clipPartRoute(app, guard, desk, clips, tooMany);
  evidenceRoute(app, guard, desk, clips);
}

/** The acts whose limits and second person are the console's; the command line calls the very same ones. */
export const deskActs = (deps: ActsDeps & { readonly origin: () => string }) => ({
  ...moneyHandlers(deps),
  ...playerHandlers(deps),
  ...identityHandlers(deps),
  ...marketHandlers(deps),
  ...careActs(deps),
  ...disputeActs(deps),
  ...campaignHandlers(deps),
  ...fleetHandlers(deps),
  ...stopHandlers(deps),
  ...reportHandlers(deps),
  ...settingsActs(deps),
  ...approvalHandlers({ ...deps, executes: {} }),
});

/** What a second signature does, of every room of the desk. */
const executesOf = (desk: DeskDeps) =>
  withPaytables({
    ...floorExecutes(desk),
    ...moneyExecutes(desk),
    ...disputeExecutes(desk),
    ...playerExecutes(desk),
    ...identityExecutes(desk),
    ...marketExecutes(),
    ...campaignExecutes(),
    ...fleetExecutes(desk),
    ...settingsExecutes(desk),
  });

type Shared = Pick<Parameters<typeof createSignIn>[0], "db" | "node" | "random" | "rp">;

async function openSignIn({ db, config, random, clock, passwordCost }: PlatformDeps, shared: Shared) {
  const auth = db.kysely.withTables<AuthTables>();
  const { directory } = config.staff;
  const given = {
    ...shared,
    clock,
    passwords: await createPasswords(passwordCost),
    keys: await openKeys(db.kysely.withTables<PlayersTables>(), random, "staff"),
    lockout: createLockout(auth, config.login, staffNames(shared.db)),
    bursts: createBursts(auth, openAudit(auth, shared.node)),
    hours: config.staff.signInHours,
  };
  return {
    signIn: createSignIn(given),
    directory: directory === null ? undefined : createDirectorySignIn(given, openIssuer(directory, clock)),
  };
}

/** Open requests may take so long when the platform ends, and then sockets to answer their close frame, ms. */
const CLOSE_TIMES = { answerMs: 1_000, graceMs: 1_000 };

type SocketDeps = DeskDeps & { readonly origin: () => string; readonly agents: Play["agents"] };

/** The staff's sockets, pushes and videos: none of the players' ones, and only for pages of the console's own origin. */
function openSockets({ config, clock, log, bus }: PlatformDeps, app: FastifyInstance, desk: SocketDeps) {
  const { limits, trustedProxyHops, staff, turn } = config;
  const sockets = createSockets({
    clock,
    log,
    originAllowed: (given) => given === desk.origin(),
    addressOf: (request) => clientAddress(request, trustedProxyHops),
    perAddressMax: limits.socketsPerAddress,
    handshakesPerMinute: limits.handshakesPerMinuteAddress,
    messagesPerSecondAddress: limits.messagesPerSecondAddress,
  });
  app.server.on("upgrade", sockets.upgrade);
  const shared = { ...desk, bus, clock, idleMs: staff.idleMs };
  const pushes = createPushes({ ...shared, stills: desk.agents }, sockets);
  const videos = createVideos({ ...shared, turn }, sockets);
  return {
    async close(): Promise<void> {
      pushes.close();
      videos.close();
      await sockets.close("page", CLOSE_TIMES);
    },
  };
}

/** Targets that are settings of the platform: the alarm of the log, the gauge and the task are one. */
export const setTargets = ({ play }: Pick<PlatformDeps["config"], "play">) => ({
  unknownTransfer: play.TRANSFER_ALARM_MS,
  agentAway: play.AGENT_AWAY_MS,
  call: play.CALL_LATE_MS,
});

function deskOf({ config, db, ledger, bus, clock, random }: PlatformDeps, shared: ActDeps, tasks: Tasks): DeskDeps {
  const { staff } = config;
  const pause = (ms: number) => new Promise<void>((over) => void clock.after(ms, over));
  return {
    ...shared,
    source: db.kysely,
    ledger,
    bus,
    tasks,
    targets: setTargets(config),
    secondPerson: staff.venue.secondPerson,
    operatorWallet: config.wallet !== null,
    notices: config.mail === null ? null : createNotices({ random, clock, timeZone: staff.venue.timeZone }),
    dayBeginsMinutes: staff.venue.dayBeginsMinutes,
    timeZone: staff.venue.timeZone,
    ask: (operation) =>
      askOperation({ db: db.kysely, random, pause }, { beginWithinMs: BEGIN_WITHIN_MS, ...operation }),
  };
}

/** A person waits before the page: the platform begins within this, ms, or what is written down is carried out later. */
const BEGIN_WITHIN_MS = 3_000;

const tooMany = (reply: FastifyReply, seconds: number): FastifyReply =>
  sendStaffProblem(reply, { name: "request.tooMany", params: { seconds } });

/** Answers whatever was thrown in the failure body of the staff's side. */
function answerFailure(error: Partial<FastifyError>, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof Refused) return sendStaffProblem(reply, error.problem);
  const status = error.statusCode ?? 500;
  if (status < 500)
    return sendStaffProblem(reply, {
      name: "request.invalid",
      params: { where: "the whole" },
      detail: error.message ?? "",
    });
  request.log.error({ err: error }, "a request of staff failed on our side");
  return sendStaffProblem(reply, { name: "request.failed" });
}
