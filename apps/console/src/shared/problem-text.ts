import type { Speech } from "@longarm/ui/i18n/texts.ts";
import type { CallProblem } from "./api.ts";
import type { TextKey } from "./texts.ts";

/** `signIn.wrong` → `signInWrong`: the last part of a key. */
export const keyOf = (name: string): string => name.replaceAll(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The right of a permission in words. */
export const rightText = ({ find }: Speech, permission: string): string =>
  find(`right.${keyOf(permission)}`) ?? permission;

export const roleText = ({ t }: Speech, role: string): string => t(`right.role_${role}` as TextKey);

/** Why a call was refused, in the person's language; a sentence of the platform's own stays as it is. */
export function problemText(speech: Speech, { problem, params, message }: CallProblem): string {
  const { find, t } = speech;
  const { permission, role, other, seconds, minutes } = params;
  const filled = {
    ...params,
    ...(permission !== undefined && { permission: rightText(speech, String(permission)) }),
    ...(role !== undefined && { role: roleText(speech, String(role)) }),
    ...(other !== undefined && { other: roleText(speech, String(other)) }),
    ...(typeof seconds === "number" && { count: seconds }),
    ...(typeof minutes === "number" && { count: minutes }),
  };
  return find(`problem.${keyOf(problem)}`, filled) ?? (message || t("problem.requestFailed"));
}
