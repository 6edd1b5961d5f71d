import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useQuery } from "@tanstack/react-query";
import { useConsole } from "../../shared/console.ts";
import { useMe } from "../../shared/me.ts";
import { Loaded, Note } from "../../shared/ui/panel.tsx";
import { Differences } from "./differences.tsx";

type Wanted =
  | {
      readonly call: "changeSettings";
      readonly fields: { readonly expected: number; readonly changes: Record<string, unknown> };
    }
  | { readonly call: "rollBackSettings"; readonly fields: { readonly expected: number; readonly to: number } };

/** What the platform itself says that an act would change, before anybody confirms it. */
export function Checked(wanted: Wanted) {
  const { t } = useText();
  const { api } = useConsole();
  const { person } = useMe();
  const preview = useQuery({
    queryKey: ["settingsPreview", wanted.call, wanted.fields],
    queryFn: () => {
      // A dry run is rolled back with its id, so that each may have the same.
      const dry = { id: `preview-${person.id}`.slice(0, 64), dryRun: true, reason: "preview" };
      return wanted.call === "changeSettings"
        ? api.call("changeSettings", { body: { ...dry, ...wanted.fields } })
        : api.call("rollBackSettings", { body: { ...dry, ...wanted.fields } });
    },
    gcTime: 0,
    retry: false,
  });
  return (
    <Loaded of={preview}>
      {(answer) =>
        answer.is === "dryRun" && (
          <>
            <p className="soft">{t("settings.checked")}</p>
            <Differences rows={answer.result.changes} />
            {answer.needsApproval && (
              <Note>{t("settings.needsTwo", { names: answer.result.twoPeople.join(", ") })}</Note>
            )}
          </>
        )
      }
    </Loaded>
  );
}
