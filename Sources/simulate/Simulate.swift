import Simulation

@main struct Simulate {
  static func main() {
    let start = ContinuousClock.now
    var steps = 0
    var bad: [String: Int] = [:]
    let n = Int(CommandLine.arguments.dropFirst().first ?? "1000")!
    let only = CommandLine.arguments.dropFirst(2).first
    if CommandLine.arguments.count > 3 {
      let o = Simulator.run(Scenario.named(only!)!, seed: UInt64(n), isVerbose: true)
      print(o.log.joined(separator: "\n"))
      return
    }
    let scenarios = Scenario.all.filter { only == nil || $0.name == only }
    for seed in 0..<n {
      let scenario = scenarios[seed % scenarios.count]
      let outcome = Simulator.run(scenario, seed: UInt64(seed))
      steps += outcome.steps
      if let violation = outcome.violation {
        let key = scenario.name + " / " + violation.name
        bad[key, default: 0] += 1
        if bad[key] == 1 {
          let shrunk = Simulator.shrink(scenario, outcome.schedule, violation.name)
          print("=== seed \(seed)", key, violation.details)
          print(shrunk.schedule.operations.map { "   \($0)" }.joined(separator: "\n"))
          print(shrunk.log.joined(separator: "\n"))
        }
      }
    }
    print(n, steps, bad.sorted { $0.value > $1.value }, ContinuousClock.now - start)
  }
}
