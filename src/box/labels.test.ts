import { expect, it } from "vitest";
import { labelsOf, readLabelled } from "./labels.ts";

it("knows its own containers again, and no others", () => {
  const owner = { host: "here", pidNamespace: "pid:[1]", boot: "b", pid: 7, startTime: "12" };
  const labels = labelsOf({ job: "job-1", project: "/p", owner });
  const line = ["abc", labels["baton.job"], labels["baton.project"], labels["baton.owner"]].join("\t");
  const foreign = ["def\tjob-2\t/p\t", "ghi\t\t\t{}", 'jkl\tjob-3\t/p\t{"pid":"7"}', ""];
  expect(readLabelled([line, ...foreign].join("\n"))).toEqual([
    { id: "abc", job: "job-1", project: "/p", owner },
  ]);
});
