/** Names of fields whose value is never kept, whatever they stand in; compared without case, dashes and underscores. */
const SECRET =
  /^(old|new)?(password|pass|pin|pincode|token|secret|authorization|cookie|key|apikey|agentkey|credential|credentials|turnsecret)$/;
const HIDDEN = "[hidden]";

const TEXT_MAX = 2_000;
const ITEMS_MAX = 100;
const DEPTH_MAX = 6;
/** Bytes of one cleaned object, as JSON. The database keeps up to 32 KiB as it writes it itself, with blanks between. */
const BYTES_MAX = 16_000;

/** Text without control characters and halves of letters, at most `most` characters long. */
export function cleanText(text: string, most: number): string {
  const plain = text
    .slice(0, most * 2)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, "\uFFFD")
    .replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, "\uFFFD");
  return plain.slice(0, most).toWellFormed();
}

/** An object that the log may keep: no secrets, nothing too long, too deep or unfit for JSON. What is too large keeps only its size. */
export function cleanObject(value: object): object {
  const cleaned = cleanValue(value, DEPTH_MAX, new WeakSet());
  const bytes = Buffer.byteLength(JSON.stringify(cleaned));
  if (typeof cleaned !== "object" || cleaned === null || Array.isArray(cleaned)) return { value: cleaned };
  return bytes > BYTES_MAX ? { cut: bytes } : cleaned;
}

function cleanValue(value: unknown, depth: number, above: WeakSet<object>): unknown {
  switch (typeof value) {
    case "string":
      return cleanText(hideInUrl(value), TEXT_MAX);
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "boolean":
      return value;
    case "bigint":
      return value.toString();
    case "object":
      return value === null ? null : cleanInner(value, depth, above);
    default:
      return null;
  }
}

function cleanInner(value: object, depth: number, above: WeakSet<object>): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Error) return cleanText(hideInUrl(value.message), TEXT_MAX);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth === 0 || above.has(value)) return "[cut]";
  above.add(value);
  const inner = (one: unknown) => cleanValue(one, depth - 1, above);
  const cleaned = Array.isArray(value)
    ? value.slice(0, ITEMS_MAX).map(inner)
    : Object.fromEntries(
        Object.entries(value)
          .filter(([, one]) => one !== undefined)
          .slice(0, ITEMS_MAX)
          .map(([key, one]) => [cleanText(key, 100), isSecret(key) && one !== null ? HIDDEN : inner(one)]),
      );
  above.delete(value);
  return cleaned;
}

const isSecret = (key: string): boolean => SECRET.test(key.toLowerCase().replaceAll(/[-_]/g, ""));

/** `rtsp://user:password@host`: the address says which, not how to get in. */
function hideInUrl(text: string): string {
  return text.replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, `$1${HIDDEN}@`);
}
