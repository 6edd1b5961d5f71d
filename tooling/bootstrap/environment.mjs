// The environment of the inner npm: that of the person, without what the outer npm put there for its script.
import { delimiter, join } from "node:path";

/** npm settings that say how to reach the registry; everything else (`omit`, `workspace`, `dry-run` …) would change what is installed. */
const kept =
  /^npm_config_(registry|cache|userconfig|globalconfig|(https?_)?proxy|noproxy|ca|cafile|cert|key|strict_ssl|offline|prefer_offline|prefer_online|maxsockets|fetch_\w+|logs_dir|@.*|\/\/.*)$/i;

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} root
 * @returns {NodeJS.ProcessEnv}
 */
export function innerEnvironment(env, root) {
  /** @type {NodeJS.ProcessEnv} */
  const inner = {};
  for (const [key, value] of Object.entries(env)) {
    if (/^npm_/i.test(key) && !kept.test(key)) continue;
    if (key === "NODE_OPTIONS" || key === "NODE_ENV" || key === "INIT_CWD") continue;
    inner[key] = /^path$/i.test(key) ? withoutLocalBin(value ?? "", root) : value;
  }
  return inner;
}

/**
 * The PATH without this repository's own `node_modules/.bin`: `npm ci` deletes the Node that lies there.
 * @param {string} path
 * @param {string} root
 */
export function withoutLocalBin(path, root) {
  const local = join(root, "node_modules", ".bin");
  return path
    .split(delimiter)
    .filter((folder) => folder !== "" && join(folder) !== local)
    .join(delimiter);
}
