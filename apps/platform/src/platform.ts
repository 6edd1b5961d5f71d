import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import { Registry } from "prom-client";
import type { PlatformDeps } from "./deps.ts";
import type { OpenCalls } from "./http-server.ts";
import { httpMetrics, openHttpServer, protectRoutes } from "./http-server.ts";
import type { IntegrationListener } from "./modules/integrations/listener/index.ts";
import { createIntegrationListener } from "./modules/integrations/listener/index.ts";
import type { Whep } from "./modules/integrations/whep/index.ts";
import { createWhep } from "./modules/integrations/whep/index.ts";
import { createPayments } from "./modules/payments/player/index.ts";
import { Alarms } from "./modules/play/alarms.ts";
import type { MakePlay, Play } from "./modules/play/index.ts";
import { createLobby } from "./modules/play/lobby/index.ts";
import type { Players, PlayersTables } from "./modules/players/accounts/index.ts";
import { createPlayers, openKeys } from "./modules/players/accounts/index.ts";
import type { Auth } from "./modules/players/auth/index.ts";
import { createAuth, PLATFORM_VERSION } from "./modules/players/auth/index.ts";
import { createGates } from "./modules/players/gates/index.ts";
import { createPromotions } from "./modules/players/promotions/index.ts";
import { createBreaks, playClosedFor } from "./modules/protection/breaks/index.ts";
import { createCareKeeper, createMeans } from "./modules/protection/care/index.ts";
import { createLetters, hasLetter } from "./modules/protection/cases/index.ts";
import { createIdentity, createIdentityService } from "./modules/protection/identity/index.ts";
import { limitsOfferDue, newsAt } from "./modules/protection/limits/index.ts";
import { createOwnLimits } from "./modules/protection/own-limits/index.ts";
import type { Registers, RegistersParts } from "./modules/protection/registers/index.ts";
import { createRegisters, spelpaus } from "./modules/protection/registers/index.ts";
import { createTerms, termsDue } from "./modules/protection/terms/index.ts";
import type { Clips } from "./modules/records/clips/index.ts";
import { createClips, createPlayerClips } from "./modules/records/clips/index.ts";
import { createDisputes, listDisputes, newsFor } from "./modules/records/disputes/index.ts";
import { createSampler } from "./modules/records/evidence/index.ts";
import { createHistory } from "./modules/records/history/index.ts";
import type { LiveSettings } from "./modules/records/settings/index.ts";
import { openLiveSettings, withLiveLimits } from "./modules/records/settings/index.ts";
import type { StaffTables } from "./modules/staff/accounts/index.ts";
import { seedRoles } from "./modules/staff/accounts/index.ts";
import type { StaffListener } from "./modules/staff/listener/index.ts";
import { createStaffListener, setTargets } from "./modules/staff/listener/index.ts";
import { createTasks } from "./modules/staff/tasks/index.ts";
import { mailSender, smtpMailer } from "./modules/talk/mail/index.ts";
import { createNotifications } from "./modules/talk/notifications/index.ts";
import type { Outbox, Send } from "./modules/talk/outbox/index.ts";
import { configureWebhook, createOutbox, pushSender, webhookSender } from "./modules/talk/outbox/index.ts";
import { createPlayerPush, mayRing } from "./modules/talk/player-push/index.ts";
import { createQuickPanel } from "./modules/talk/quick-panel/index.ts";
import { createTeamChat } from "./modules/talk/team-chat/index.ts";
import type { PlatformAudit } from "./platform-audit.ts";
import { createPlatformAudit } from "./platform-audit.ts";
import { readMailBrand } from "./plugins/branding.ts";
import { clientAddress } from "./plugins/client-address.ts";
import { limitConnections, trackConnections } from "./plugins/connections.ts";
import { serveHealth } from "./plugins/health.ts";
import { countBus, poolMetrics } from "./plugins/node-metrics.ts";
import { hostRule, originRule } from "./plugins/origins.ts";
import { platformMetrics } from "./plugins/platform-metrics.ts";
import type { SettingsFile } from "./plugins/settings-file.ts";
import { serveSettings } from "./plugins/settings-file.ts";
import type { Sockets } from "./plugins/sockets.ts";
import { createSockets } from "./plugins/sockets.ts";
import { serveWeb } from "./plugins/static-files.ts";
import type { RepeatedLook } from "./repeat-look.ts";

/** A whole platform, ready to listen. */
export interface Platform {
  readonly app: FastifyInstance;
  readonly players: Players;
  readonly auth: Auth;
  readonly play: Play;
  readonly clips: Clips;
  readonly sockets: Sockets;
  readonly metrics: Registry;
  /** The staff's side, on a port of its own. Undefined: STAFF_PORT is not set. */
  readonly staff: StaffListener | undefined;
  /** The side of the operator's own systems. Undefined: INTEGRATION_PORT is not set. */
  readonly integrations: IntegrationListener | undefined;
  /** Listens and begins the timers; returns the address it listens on, `http://127.0.0.1:8080`. */
  listen(): Promise<string>;
  /**
   * Reports for `DRAIN_MS` that it is not ready. Then it accepts no new connection, answers every open request over HTTP and over each socket before it closes the socket with 1012, and stops the timers.
   * The database stays open: its maker closes it.
   */
  close(): Promise<void>;
}

/**
 * When the platform ends: how long open requests may take, and then sockets to answer their close frame. Pages and agents one after the other stay
 * below the 10 s after which service managers kill a process.
 */
const CLOSE_TIMES = {
  page: { answerMs: 4_000, graceMs: 1_000 },
  agent: { answerMs: 1_000, graceMs: 1_000 },
} as const;

/**
 * Puts the platform together from what it is given, in the order in which a request passes through it: server and audit log, limits of
 * connections, protection of routes, files and health, then the domains. A domain takes only what is above it. Nothing here makes its own
 * time, chance or connections.
 */
export async function buildPlatform(given: PlatformDeps, makePlay: MakePlay): Promise<Platform> {
  const metrics = new Registry();
  const { deps, venue } = await withVenueSettings(given, metrics);
  const { config, log } = deps;
  let isDraining = false;

  // The server.
  const { app, calls, methodsOf } = openHttpServer(deps);
  const audit = createPlatformAudit(deps, app, metrics);
  const sockets = openSockets(deps, app, audit);
  const connections = limitOpenConnections(deps, app, audit);
  httpMetrics(metrics, app, sockets.openByPath);
  poolMetrics(metrics, deps.db);

  // What every route passes through, and files. The headers name hosts of the settings, which are read after the routes are protected.
  let settings: SettingsFile | undefined;
  await protectRoutes(app, deps, () => settings?.hosts() ?? NO_HOSTS);
  settings = await servePageSettings(deps, app, venue, audit);
  await serveWeb(app, config, methodsOf, log);
  const refreshMetrics = addHealth(deps, app, metrics, () => isDraining);

  // The domains: players, play, records, talk, staff.
  const gates = createGates(app, config, audit.throttled);
  const players = await createPlayers(deps);
  const registers = openRegisters(deps, (playerId) => play.sessions.endSessionsOf(playerId, "excluded"));
  const protection = protectionAtSignIn(deps, registers);
  const auth = await createAuth(deps, { app, players, isBlocked: gates.isBlocked, settings, metrics, protection });
  const [campaigns, care] = [createPromotions(deps, app, auth.guard), openCare(deps)];
  const play = await makePlay(deps, { app, auth, sockets, metrics, settings, registers });
  const notifications = createNotifications(deps, { app, auth, sockets, play });
  const chat = createTeamChat(deps, { app, guard: auth.guard, notifications });
  const { clips, sampler } = openRecordings(deps, app, play);
  const [pushes, payments] = [createPlayerPush(deps, app, auth.guard), createPayments(deps, app, auth.guard, settings)];
  const whep = createWhep(deps, app, play);
  await addRoomsOfPlayers({ ...deps, clips, settings }, app, auth.guard, play);
  const [desk, integrations] = await Promise.all([
    openStaffSide({ ...deps, clips }, play, { live: venue, file: settings }),
    createIntegrationListener(deps, audit),
    app.ready(),
  ]);
  const listeners = [desk.staff, integrations];
  const parts = { app, players, auth, play, clips, sockets, metrics, staff: desk.staff, integrations };

  return {
    ...parts,
    async listen() {
      const href = await app.listen({ host: config.host, port: config.portNumber });
      for (const one of listeners) await one?.listen();
      // What is counted is counted from here on.
      await refreshMetrics();
      await audit.started(PLATFORM_VERSION, settings.now());
      play.start();
      for (const one of [campaigns, care, registers, clips, sampler, pushes, payments, whep, desk]) one.start();
      return href;
    },
    async close() {
      isDraining = true;
      await drain(deps, whep);
      const ended = listeners.map((one) => one?.close());
      const [cut] = await Promise.all([endServing(app, sockets, calls, connections.destroyAll), ...ended]);
      await Promise.all([desk, campaigns, care, registers, clips, sampler, pushes, payments].map((one) => one.close()));
      if (cut > 0) log.info({ left: cut }, "connections that were left open are cut");
      notifications.close();
      await chat.close();
      for (const one of [auth, settings, venue]) one.close();
      await play.close();
      await audit.close();
    },
  };
}

/** What protects players and takes part in signing in. */
function protectionAtSignIn({ db: { kysely } }: PlatformDeps, { signedIn }: Pick<Registers, "signedIn">) {
  return {
    playClosed: (playerId: string) => playClosedFor(kysely, playerId),
    termsDue: (playerId: string) => termsDue(kysely, playerId),
    limitsOffered: (playerId: string) => limitsOfferDue(kysely, playerId),
    limitsNewsAt: (playerId: string) => newsAt(kysely, playerId),
    letterWaits: (playerId: string) => hasLetter(kysely, playerId),
    disputeNews: (playerId: string) => newsFor(kysely, playerId),
    signedIn,
  };
}

/** The national registers that the server is connected to. Who is excluded there is sent home. */
function openRegisters(deps: PlatformDeps, endPlay: RegistersParts["endPlay"]): Registers {
  return createRegisters({
    ...deps,
    db: deps.db.kysely,
    nodeId: deps.config.play.NODE_ID,
    registers: deps.config.spelpaus === null ? {} : { spelpaus: spelpaus(deps.config.spelpaus) },
    endPlay,
  });
}

/** Parts of the records of play that agents keep, and what proves drawn games of each day by them. */
function openRecordings(
  deps: PlatformDeps,
  app: FastifyInstance,
  { agents }: Play,
): { readonly clips: Clips; readonly sampler: RepeatedLook } {
  const { agentOf, carries, request: ask } = agents;
  const { config } = deps;
  const shared = { ...deps, db: deps.db.kysely };
  const clips = createClips({ ...shared, node: config.play.NODE_ID, agentOf, carries, ask }, app);
  const venue = { timeZone: config.staff.venue.timeZone, games: () => config.play.SAMPLED_GAMES };
  return { clips, sampler: createSampler({ ...shared, clips, alarms: new Alarms(deps), venue }) };
}

/** What looks for players whom play harms, by the venue's days and nights. */
const openCare = (deps: PlatformDeps): RepeatedLook =>
  createCareKeeper({ ...deps, db: deps.db.kysely, timeZone: deps.config.staff.venue.timeZone });

/** What a signed-in player sees and does beside playing: lobby, history, breaks, quick panel. */
async function addRoomsOfPlayers(
  deps: PlatformDeps & { readonly clips: Clips; readonly settings: SettingsFile },
  app: FastifyInstance,
  guard: Auth["guard"],
  play: Play,
): Promise<void> {
  await createLobby(deps, app, guard, play);
  createHistory(deps, app, guard);
  createBreaks({ ...deps, guard, endPlay: (playerId) => play.sessions.endSessionsOf(playerId, "excluded") }, app);
  createOwnLimits(deps, app, guard);
  createIdentity(deps, app, guard);
  const { identitySecrets: secrets, play: own } = deps.config;
  createIdentityService({ ...deps, secrets, node: own.NODE_ID }, app);
  createTerms(deps, app, guard);
  createLetters(deps, app, guard);
  createMeans(deps, app, guard);
  createDisputes(deps, app, guard);
  const hasQuestion = async (playerId: string, game: string) =>
    (await listDisputes(deps.db.kysely, { playerId, game })).length > 0;
  createPlayerClips({ ...deps, hasQuestion }, app, guard);
  createQuickPanel(deps, app, guard);
}

async function servePageSettings(
  { config, clock, log }: PlatformDeps,
  app: FastifyInstance,
  venue: LiveSettings,
  { settingsChanged: changed }: PlatformAudit,
): Promise<SettingsFile> {
  const file = config.settingsFile ?? join(config.dataFolder, "Settings.json");
  return await serveSettings(app, { file, clock, log, venue, changed });
}

/** The same dependencies, with the limits that the venue has set and a bus that is counted. */
async function withVenueSettings(given: PlatformDeps, metrics: Registry) {
  const bus = countBus(metrics, given.bus);
  const venue = await openLiveSettings({ ...given, db: given.db.kysely, bus });
  return { venue, deps: { ...given, bus, config: withLiveLimits(given.config, venue) } };
}

/** The staff's side. What needs a person is kept and reported also where no console is. */
async function openStaffSide(
  deps: PlatformDeps & { readonly clips: Clips },
  { agents }: Play,
  settings: { readonly live: LiveSettings; readonly file: SettingsFile },
) {
  const db = deps.db.kysely.withTables<StaffTables>();
  await seedRoles(db);
  const tasks = createTasks({ ...deps, db, targets: setTargets(deps.config) });
  const staff = await createStaffListener(deps, agents, tasks, settings);
  const outbox = await openOutbox(deps, staff);
  return {
    staff,
    start() {
      tasks.start();
      outbox.start();
    },
    close: async () => void (await Promise.all([tasks.close(), outbox.close()])),
  };
}

/** What is reported outside: to the operator's webhook, and to devices of staff and players. */
async function openOutbox(deps: PlatformDeps, staff: StaffListener | undefined): Promise<Outbox> {
  const { config, clock } = deps;
  const db = deps.db.kysely;
  await configureWebhook(db, config.webhook);
  const contact = () => {
    const own = staff?.href();
    return config.push.contact ?? (own?.startsWith("https:") ? own : "mailto:staff@localhost.localdomain");
  };
  const senders = {
    ...(config.mail !== null && { mail: await openMail(deps, config.mail) }),
    push: pushSender(db, { hosts: config.push.hosts, contact, mayRing }),
    ...(config.webhook !== null && { webhook: webhookSender(config.webhook, clock, PLATFORM_VERSION) }),
  };
  return createOutbox({ ...deps, db, senders });
}

/** What sends mails to players. */
async function openMail({ config, db: { kysely }, random }: PlatformDeps, { server, from }: MailServer): Promise<Send> {
  const brand = await readMailBrand(config);
  const mailer = smtpMailer(server, { name: brand.casino, address: from });
  const keys = await openKeys(kysely.withTables<PlayersTables>(), random, "mail");
  return mailSender({ ...brand, db: kysely, keys, mailer });
}
type MailServer = NonNullable<PlatformDeps["config"]["mail"]>;

/** Balancers that look only from time to time have to see it before connections are refused. */
async function drain(
  { config, clock }: Pick<PlatformDeps, "config" | "clock">,
  whep: Pick<Whep, "close">,
): Promise<void> {
  if (config.drainMs > 0) await new Promise<void>((over) => clock.after(config.drainMs, over));
  // While agents are linked: what is watched from outside ends at them.
  await whep.close();
}

const NO_HOSTS = { connect: [], script: [], style: [], font: [], image: [], frame: [] };

function openSockets({ config, clock, log }: PlatformDeps, app: FastifyInstance, audit: PlatformAudit): Sockets {
  const { limits } = config;
  const sockets = createSockets({
    clock,
    log,
    originAllowed: originRule(config, hostRule(config)),
    addressOf: (request) => clientAddress(request, config.trustedProxyHops),
    perAddressMax: limits.socketsPerAddress,
    handshakesPerMinute: limits.handshakesPerMinuteAddress,
    messagesPerSecondAddress: limits.messagesPerSecondAddress,
    limited: audit.limited,
  });
  app.server.on("upgrade", sockets.upgrade);
  return sockets;
}

function limitOpenConnections({ config, clock, log }: PlatformDeps, app: FastifyInstance, { limited }: PlatformAudit) {
  const tracked = trackConnections(app.server);
  const { connections: max, connectionsPerAddress: perAddress } = config.limits;
  limitConnections(app.server, { max, perAddress }, { clock, log, limited });
  return tracked;
}

/** @returns counts everything anew for the metrics. */
function addHealth(
  { config, clock, log, db, bus }: PlatformDeps,
  app: FastifyInstance,
  metrics: Registry,
  isDraining: () => boolean,
): () => Promise<void> {
  const refresh = platformMetrics({ registry: metrics, db, clock, log, callLateMs: config.play.CALL_LATE_MS });
  serveHealth(app, {
    clock,
    metrics,
    refresh,
    isDraining,
    busState: () => bus.state(),
    ping: async () => {
      await sql`select 1`.execute(db.kysely);
    },
  });
  return refresh;
}

/**
 * Accepts no new connection, answers every open request and then cuts what is left: one caller that stays must not keep the process.
 * @returns how many connections were cut.
 */
async function endServing(
  app: FastifyInstance,
  sockets: Sockets,
  calls: OpenCalls,
  destroyAll: () => number,
): Promise<number> {
  const closed = app.close();
  closed.catch(() => {});
  await Promise.all([sockets.close("page", CLOSE_TIMES.page), calls.answered(CLOSE_TIMES.page.answerMs)]);
  // Open requests of pages and callers may have needed the agents until now.
  await sockets.close("agent", CLOSE_TIMES.agent);
  const cut = destroyAll();
  await closed;
  return cut;
}
