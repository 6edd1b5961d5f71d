import * as z from "zod/mini";
import type { Call } from "../call.ts";
import { WireId } from "../ids.ts";
import { AppearanceChoice } from "./appearance.ts";
import { chatCalls, quickPanelCalls } from "./team-chat.ts";

/** The most ids in a player's shortcut bar. */
export const SHORTCUTS_MAX = 50;
/** Ids of navigation items. */
const Shortcuts = z.array(z.string().check(z.regex(/^[A-Za-z0-9_.:/-]{1,64}$/))).check(z.maxLength(SHORTCUTS_MAX));

/** The user as the template's calls word it (template facts, section 13). */
export const TemplateUser = z.object({
  uuid: WireId,
  /** Where the account comes from. */
  from: z.optional(z.string()),
  role: z.union([z.string(), z.array(z.string())]),
  data: z.object({
    displayName: z.string(),
    photoURL: z.optional(z.nullable(z.string())),
    email: z.optional(z.nullable(z.string())),
    settings: z.optional(z.nullable(AppearanceChoice)),
    shortcuts: z.optional(z.nullable(Shortcuts)),
  }),
});
export type TemplateUser = z.output<typeof TemplateUser>;

/** What may be wrong with a field of a registration, for pages with a text of their own for it. */
export const REGISTER_REASONS = ["taken", "invalid", "short", "common"] as const;
export type RegisterReason = (typeof REGISTER_REASONS)[number];

/** Both or neither of `user` and `access_token`; else `error`, with HTTP status 200 as in the template. */
export const RegisterAnswer = z.object({
  user: z.optional(z.nullable(TemplateUser)),
  /** Signs in like the token of `login`. */
  access_token: z.optional(z.nullable(z.string())),
  /** Fields that were not taken (decision D-53); `username` is the display name. `reason`: one of `REGISTER_REASONS`. */
  error: z.optional(
    z.nullable(z.array(z.object({ type: z.string(), message: z.string(), reason: z.optional(z.string()) }))),
  ),
});

/** The whole user may be sent; only `settings` and `shortcuts` are written, and each only when it is there. */
const UpdatedUser = z.object({
  /** The caller's own. */
  uuid: WireId,
  from: z.optional(z.unknown()),
  role: z.optional(z.unknown()),
  data: z.object({
    displayName: z.optional(z.unknown()),
    photoURL: z.optional(z.unknown()),
    email: z.optional(z.unknown()),
    /** The whole choice, in place of what was saved before. */
    settings: z.optional(AppearanceChoice),
    shortcuts: z.optional(Shortcuts),
  }),
});

/** Calls of the template's API that the platform serves, relative to `templateApiUrl`. Same failures as the other calls. */
export const servedTemplateCalls = {
  register: {
    method: "POST",
    path: "api/auth/register",
    body: z.object({
      displayName: z.string().check(z.minLength(1), z.maxLength(100)),
      password: z.string().check(z.minLength(1), z.maxLength(256)),
      email: z.string().check(z.minLength(1), z.maxLength(254)),
    }),
    answer: RegisterAnswer,
    open: true,
  },
  updateUser: {
    method: "POST",
    path: "api/auth/user/update",
    body: z.object({ user: UpdatedUser }),
    answer: TemplateUser,
  },
  ...chatCalls,
  ...quickPanelCalls,
} as const satisfies Record<string, Call>;

export type ServedTemplateCall = keyof typeof servedTemplateCalls;

/** All of them, with the one that only an operator's own back end may have (decision D-58). */
export const templateCalls = {
  ...servedTemplateCalls,
  updateCourse: {
    method: "POST",
    path: "api/academy-app/course/update",
    body: z.looseObject({ id: WireId }),
    answer: z.looseObject({ id: z.optional(WireId) }),
  },
} as const satisfies Record<string, Call>;
export type TemplateCallName = keyof typeof templateCalls;
