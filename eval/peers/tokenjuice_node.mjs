// Runs npm tokenjuice over JSON cases from stdin: [{text, command, exit_code, rounds}] -> [{text, ms}].
// ms is the median CPU time of one warm call.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
const { reduceExecution } = await import(pathToFileURL(`${process.argv[2]}/node_modules/tokenjuice/dist/index.js`));
const answers = [];
for (const item of JSON.parse(readFileSync(0, "utf8"))) {
  const input = { toolName: "exec", command: item.command ?? "", combinedText: item.text, exitCode: item.exit_code ?? 0 };
  const times = [];
  let out = null;
  for (let round = 0; round < (item.rounds ?? 1); round++) {
    const start = process.cpuUsage();
    out = await reduceExecution(input, {});
    const spent = process.cpuUsage(start);
    times.push((spent.user + spent.system) / 1000);
  }
  times.sort((a, b) => a - b);
  answers.push({ text: out.inlineText, ms: times[times.length >> 1] });
}
console.log(JSON.stringify(answers));
