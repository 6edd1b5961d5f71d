import { access } from "node:fs/promises";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import type { Branding } from "./branding.ts";
import { readBranding, serveBranding } from "./branding.ts";
import { pathOf } from "./request-log.ts";

/** A file whose name carries a hash of its content, as the web's build writes them. */
const HASHED = /\/assets\/[^/]+-[A-Za-z0-9_-]{8}\.[a-z0-9]+(\.br|\.gz)?$/;
const YEAR = "public, max-age=31536000, immutable";
const HOUR = "public, max-age=3600";

/** Answers a request for an address of a build's own router with its page; undefined: it is none. */
export type PageOf = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;

/**
 * Serves the files of a Vite build: hashed assets for ever, pages checked each time, copies compressed at build time where they are.
 * Answers how to send its page, which belongs to every address of its router, but only to a browser that goes there.
 * @param branding files of the operator's in the place of the build's
 */
export async function serveBuild(
  app: FastifyInstance,
  folder: string,
  log: Log,
  branding: Branding = new Map(),
): Promise<PageOf> {
  const built = await access(join(folder, "index.html")).then(
    () => true,
    () => false,
  );
  if (!built) {
    log.warn({ folder }, "a page is not built: run `npm run build`, then start the platform again");
    return () => undefined;
  }
  await app.register(fastifyStatic, {
    root: folder,
    preCompressed: true,
    cacheControl: false,
    dotfiles: "ignore",
    index: false,
    setHeaders: (reply, path) => {
      void reply.header("cache-control", cacheOf(path.replaceAll("\\", "/")));
    },
  });
  serveBranding(app, branding);
  const page = branding.get("/index.html");
  const sendPage = (reply: FastifyReply): FastifyReply => {
    void reply.header("cache-control", "no-cache");
    return page === undefined ? reply.sendFile("index.html") : reply.type(page.type).send(page.body);
  };
  app.get("/", (_request, reply) => sendPage(reply));
  return (request, reply) => (wantsPage(request) ? sendPage(reply) : undefined);
}

/** Serves the built web, and answers what is no address of the players' side. */
export async function serveWeb(
  app: FastifyInstance,
  config: Pick<Config, "webFolder" | "brandingFolder" | "dataFolder" | "playerIssuers">,
  methodsOf: (path: string) => string[],
  log: Log,
): Promise<void> {
  const pageOf = await serveBuild(app, config.webFolder, log, await readBranding(config));
  app.setNotFoundHandler(async (request, reply) => {
    const page = pageOf(request, reply);
    if (page !== undefined) return await page;
    const methods = methodsOf(pathOf(request.url));
    if (methods.length > 0 && !methods.includes(request.method)) {
      return await reply
        .code(405)
        .header("allow", methods.join(", "))
        .send({ code: 405, ErrorMessage: `Use ${methods.join(" or ")} here` });
    }
    return await reply
      .code(404)
      .header("cache-control", "no-store")
      .send({ code: 404, ErrorMessage: "There is nothing at this address" });
  });
}

function cacheOf(path: string): string {
  if (HASHED.test(path)) return YEAR;
  return path.includes("/assets/") ? HOUR : "no-cache";
}

/** Somebody typed or followed an address of the web's router: no call, no socket, no missing file. */
function wantsPage(request: FastifyRequest): boolean {
  const path = pathOf(request.url);
  const reserved = /^\/(v1|api|assets|check|metrics|healthz|readyz|agent|notifications|whep|staff\/v1)(\/|$)/.test(
    path,
  );
  if (!["GET", "HEAD"].includes(request.method) || reserved) return false;
  const accept = request.headers.accept ?? "*/*";
  // The name of a brand or machine at the end of a page's path may hold a dot.
  const isFile = !/^\/(lobby|game)\//.test(path) && /\.[A-Za-z0-9]{1,8}$/.test(path);
  return !isFile && /text\/html|\*\/\*/.test(accept);
}
