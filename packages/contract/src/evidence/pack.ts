import type { ZipFile } from "./container.ts";
import { crc32, localHead, sha256, zipBytes, zipEnd } from "./container.ts";
import type { EvidenceManifest } from "./format.ts";
import { EVIDENCE_BYTES_MAX, MANIFEST_NAME } from "./format.ts";

/** A file of an export; `open` is called when its turn comes, so that one at a time is in memory. */
export type PackedFile = EvidenceManifest["files"][number] & { readonly open: () => Promise<Uint8Array> };

/** An export that is ready to be sent. */
export type PackedEvidence = {
  readonly bytes: number;
  readonly fingerprint: string;
  readonly parts: () => AsyncGenerator<Uint8Array>;
};

const written = (value: unknown): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(value));

/** A small file, as it will be packed. */
export async function packedFile(name: string, content: Uint8Array): Promise<PackedFile> {
  return { name, bytes: content.length, sha256: await sha256(content), open: async () => content };
}

/** The same of a value that is written as JSON. */
export const packedJson = (name: string, value: unknown): Promise<PackedFile> => packedFile(name, written(value));

/** Undefined: it would be too large. */
export async function packEvidence(
  about: Pick<EvidenceManifest, "question" | "madeAt">,
  files: readonly PackedFile[],
): Promise<PackedEvidence | undefined> {
  const listed = files.map(({ name, bytes, sha256: sum }) => ({ name, bytes, sha256: sum }));
  const manifest = await packedJson(MANIFEST_NAME, { v: 1, ...about, files: listed } satisfies EvidenceManifest);
  const bytes = zipBytes([manifest, ...files]);
  return bytes > EVIDENCE_BYTES_MAX
    ? undefined
    : { bytes, fingerprint: manifest.sha256, parts: () => partsOf([manifest, ...files]) };
}

async function* partsOf(files: readonly PackedFile[]): AsyncGenerator<Uint8Array> {
  const done: ZipFile[] = [];
  for (const { name, bytes, open } of files) {
    const content = await open();
    if (content.length !== bytes) throw new Error(`${name} was changed while it was exported.`);
    const file = { name, bytes, crc: crc32(content) };
    done.push(file);
    yield localHead(file);
    yield content;
  }
  yield zipEnd(done);
}
