import { FormAlert } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useQuery } from "@tanstack/react-query";
import { useConsole } from "../../shared/console.ts";
import { usePasskeyTry } from "../../shared/ui/passkey-try.ts";
import { Way } from "./gate.tsx";

type Begin = () => Promise<{ readonly href: string }>;

/** What the operator's directory is called; undefined: there is none, or it is not known yet. */
function useDirectoryLabel(): string | undefined {
  const { api } = useConsole();
  const ways = useQuery({
    queryKey: ["signInWays"],
    queryFn: () => api.call("signInWays"),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return ways.data?.directory?.label;
}

/** Sends this browser to the directory, which sends it back to `DirectoryPage`. */
export function useDirectory(begin: Begin) {
  const { leave } = useConsole();
  return usePasskeyTry(async () => leave((await begin()).href));
}

/** Signing in with the operator's directory, where there is one. */
export function DirectoryWay({ begin }: { readonly begin: Begin }) {
  const { t } = useText();
  const label = useDirectoryLabel();
  const { failure, start } = useDirectory(begin);
  if (label === undefined) return null;
  return (
    <>
      <Way
        icon="audit"
        title={t("signIn.useDirectory", { label })}
        about={t("signIn.useDirectoryAbout")}
        onChoose={start}
      />
      {failure !== undefined && <FormAlert>{failure}</FormAlert>}
    </>
  );
}
