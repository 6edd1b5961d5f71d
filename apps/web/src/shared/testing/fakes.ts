import type { Language } from "@longarm/contract/settings";
import type { Area, Texts } from "@longarm/ui/i18n/texts.ts";
import { createTexts } from "@longarm/ui/i18n/texts.ts";
import { loadCatalogue } from "../i18n/load-catalogue.ts";
import type { Storage } from "../storage/storage.ts";

/** Storage of one test. */
export function memoryStorage(
  start: Readonly<Record<string, string>> = {},
): Storage & { readonly all: Map<string, string> } {
  const all = new Map(Object.entries(start));
  return {
    all,
    read: (key) => all.get(key) ?? null,
    write: (key, value) => void all.set(key, value),
    remove: (key) => void all.delete(key),
  };
}

/** The real texts of one language. */
export function realTexts(language: Language, ...areas: Area[]): Promise<Texts> {
  return createTexts(
    language,
    loadCatalogue,
    areas.length > 0 ? areas : ["app", "auth", "code", "lobby", "shell", "wallet"],
  );
}

export type Asked = {
  readonly path: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
};
type Answered = { readonly status?: number; readonly json?: unknown; readonly text?: string };

/** A `fetch` that answers by path and keeps what it was asked. A path without an answer fails like a lost network. */
export function scriptedFetch(answers: Readonly<Record<string, Answered | (() => Answered)>>): {
  fetch: typeof fetch;
  asked: Asked[];
} {
  const asked: Asked[] = [];
  return {
    asked,
    async fetch(input, init) {
      const path = new URL(String(input), "http://page.test").pathname;
      const headers = (init?.headers ?? {}) as Record<string, string>;
      asked.push({ path, method: init?.method ?? "GET", headers, body: init?.body && JSON.parse(String(init.body)) });
      const found = answers[path];
      if (found === undefined) throw new TypeError("Failed to fetch");
      const { status = 200, json, text } = typeof found === "function" ? found() : found;
      return new Response(text ?? JSON.stringify(json ?? {}), { status });
    },
  };
}

/** A token as the platform signs them; only its claims matter to the page. */
export function testToken(claims: Record<string, unknown>): string {
  const part = (value: unknown) => btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));
  return `${part({ alg: "EdDSA" })}.${part(claims).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}.signature`;
}
