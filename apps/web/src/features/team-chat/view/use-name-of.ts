import { useText } from "../../../shared/i18n/use-text.ts";

/** What to call somebody: who has no name is told apart by the end of the id. */
export function useNameOf(): (person: { readonly id: string; readonly name: string }) => string {
  const { t } = useText();
  return ({ id, name }) => name || t("teamChat.nameless", { end: id.slice(-4) });
}
