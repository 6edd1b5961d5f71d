/** A failure we understand: its message is a sentence that says what to do, shown without a stack. */
export class Advice extends Error {
  /** @override */
  name = "Advice";
}

/** Codes of the file system that mean "you may not write here". */
const denied = new Set(["EACCES", "EPERM", "EROFS"]);

/**
 * Turns a refused write into advice; gives every other error back unchanged.
 * @param {unknown} error what was thrown
 * @param {string} path where it was thrown
 */
export function adviseOnWrite(error, path) {
  const code = /** @type {NodeJS.ErrnoException} */ (error)?.code;
  if (code !== undefined && denied.has(code)) {
    return new Advice(
      `Longarm cannot write to ${path} (${code}). Put the repository into a folder that is yours, or make this one writable, and run the command again.`,
      { cause: error },
    );
  }
  if (code === "ENOSPC") {
    return new Advice(`The disk that holds ${path} is full. Free at least 2 GB and run the command again.`, {
      cause: error,
    });
  }
  return error;
}

/** What npm prints, and the sentence that helps. First match wins. */
const npmFailures = [
  {
    when: /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|network (request|connectivity)/i,
    advice:
      "The package registry could not be reached. Check the network (and your proxy settings), then run the same command again; it goes on by itself.",
  },
  { when: /ENOSPC/, advice: "The disk is full. Free at least 2 GB, then run the same command again." },
  {
    when: /EACCES|EPERM|EROFS/,
    advice:
      "npm may not write where it has to. Make this folder and npm's cache (npm config get cache) writable for you, then run the same command again.",
  },
  {
    when: /EINTEGRITY|sha512/,
    advice:
      "A downloaded package is not the one the lock file promises. Run `npm cache clean --force` and try again; if it stays so, do not trust that registry.",
  },
  {
    when: /can only install (packages )?when your package\.json and/i,
    advice:
      "package.json and package-lock.json do not agree. Run `npm install` with Node 24 on the PATH, and commit both.",
  },
  {
    when: /CERT_|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/,
    advice:
      "The registry's certificate is not trusted here. Give your organisation's certificate in NODE_EXTRA_CA_CERTS (or npm's `cafile`), then run the same command again.",
  },
];

/**
 * The sentence for a failed `npm ci`, with npm's own last words below it.
 * @param {string} output what npm printed
 * @param {number | string} status its exit code or signal
 */
export function adviseOnNpm(output, status) {
  const known = npmFailures.find((failure) => failure.when.test(output));
  const first =
    known?.advice ?? `npm could not install the packages (it ended with ${status}). Nothing of yours is lost.`;
  const words = npmWords(output);
  return new Advice(words === "" ? first : `${first}\n\nnpm said:\n${words}`);
}

/**
 * What npm said of the matter, without its pages of usage.
 * @param {string} output
 */
function npmWords(output) {
  const usage = output.search(/^npm error (Clean install|Usage:|Options:)/m);
  const lines = (usage === -1 ? output : output.slice(0, usage)).split("\n");
  const said = lines.map((line) => line.replace(/^npm error\s?/, "  ").trimEnd()).filter((line) => line.trim() !== "");
  return said
    .filter((line) => !line.trimStart().startsWith("at "))
    .slice(0, 8)
    .join("\n");
}
