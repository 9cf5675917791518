import AsyncLocation

/// The state machine of permission as tables, made by asking it.
struct AuthorizationTable {
  typealias Machine = AuthorizationStateMachine
  typealias Permission = AuthorizationDecision.Permission

  /// A state that can be reached, and the events that lead to it.
  private struct Place {
    let machine: Machine
    var name: String { Self.name(machine) }

    static func name(_ machine: Machine) -> String {
      var name = "\(machine.decision.permission)"
      if machine.decision.accuracy == .reduced { name += ", reduced" }
      if let purpose = machine.fullAccuracyPurpose { name += ", full for \(purpose)" }
      if machine.alwaysWasAsked { name += ", always declined" }
      if !machine.locationServicesEnabled { name += ", services off" }
      if let refusal = machine.sourceRefusal { name += ", source \(refusal)" }
      if !machine.isInUse { name += ", out of use" }
      switch machine.question {
      case nil: break
      case .whenInUse?: name += "; asking while in use"
      case .whenInUseThenAlways?: name += "; asking while in use, then always"
      case .always?: name += "; asking always"
      }
      if !machine.fullAccuracyQuestions.isEmpty {
        name += "; asking for \(machine.fullAccuracyQuestions.joined(separator: ", then "))"
      }
      return name
    }
  }

  /// What a request does, for the article: a row for each permission.
  static var requests: String {
    table(
      ["current permission", "when-in-use is requested", "always is requested"],
      Permission.allCases.flatMap { permission -> [[String]] in
        var rows = [row(after: [.changed(AuthorizationDecision(permission))], "")]
        if permission == .whenInUse {
          rows.append(
            row(
              after: [.requested(.always), .answered(.authorizedWhenInUse)], ", always declined"))
        }
        return rows
      })
  }

  private static func row(after events: [Machine.Event], _ suffix: String) -> [String] {
    let machine = machine(after: events)
    return ["\(machine.decision.permission)\(suffix)"]
      + AuthorizationRequest.allCases.map { request in
        var machine = machine
        return machine.handle(.requested(request)) == [.ask(request)]
          ? "asks" : "returns \(machine.status)"
      }
  }

  /// Every state of permission under every event; events that do nothing are left out.
  static var permission: String {
    transitions(
      from: reachable(by: permissionEvents), by: permissionEvents)
  }

  /// What stands above permission, for each permission.
  static var above: String {
    transitions(
      from: Permission.allCases.map { Place(machine: machine(after: [.changed(.init($0))])) },
      by: [
        .locationServices(enabled: false), .source(refusal: .denied), .source(refusal: .restricted),
        .use(false), .demandEnded,
      ])
  }

  /// Accuracy under a grant that reduces it.
  static var accuracy: String {
    let purposes = ["p", "q"]
    let events: [Machine.Event] =
      purposes.flatMap {
        [.requestedFullAccuracy(purposeKey: $0), .withdrawnFullAccuracy(purposeKey: $0)]
      } + [true, false].map { .answeredFullAccuracy(isGranted: $0) }
      + [.fullAccuracyExpired, .changed(.authorizedWhenInUse), .changed(.denied)]
    let start = machine(after: [.changed(.authorizedWhenInUse.limited(to: .reduced))])
    let places = reachable(by: events, from: start).filter {
      $0.machine.decision.accuracy == .reduced
    }
    return transitions(from: places, by: events)
  }

  private static let permissionEvents: [Machine.Event] =
    AuthorizationRequest.allCases.flatMap { [.requested($0), .withdrawn($0)] }
    + Permission.allCases.map { .answered(AuthorizationDecision($0)) }
    + Permission.allCases.map { .changed(AuthorizationDecision($0)) } + [.demandEnded]

  // MARK: Making

  private static func machine(after events: [Machine.Event]) -> Machine {
    var machine = Machine()
    for event in events { _ = machine.handle(event) }
    return machine
  }

  private static func reachable(
    by events: [Machine.Event], from start: Machine = Machine()
  ) -> [Place] {
    var (found, next) = ([start], 0)
    while next < found.count {
      for event in events {
        var machine = found[next]
        _ = machine.handle(event)
        if !found.contains(machine) { found.append(machine) }
      }
      next += 1
    }
    return found.map(Place.init).sorted { $0.name < $1.name }
  }

  private static func transitions(from places: [Place], by events: [Machine.Event]) -> String {
    table(
      ["state", "event", "actions", "becomes"],
      places.flatMap { place in
        events.compactMap { event in
          var machine = place.machine
          let actions = machine.handle(event)
          guard machine != place.machine || !actions.isEmpty else { return nil }
          return [
            place.name, name(event), actions.map(name).joined(separator: ", "),
            machine == place.machine ? "the same" : Place.name(machine),
          ]
        }
      })
  }

  private static func name(_ event: Machine.Event) -> String {
    switch event {
    case .answered(let decision): "answered \(decision.permission)"
    case .changed(let decision): "changed to \(decision.permission)"
    case .requested(let request): "requested \(request)"
    case .withdrawn(let request): "withdrawn \(request)"
    case .locationServices(let enabled): enabled ? "services on" : "services off"
    case .source(let refusal): refusal.map { "source \($0)" } ?? "source willing"
    case .use(let isInUse): isInUse ? "in use" : "out of use"
    case .demandEnded: "demand ended"
    case .requestedFullAccuracy(let purpose): "requested full accuracy for \(purpose)"
    case .withdrawnFullAccuracy(let purpose): "withdrawn full accuracy for \(purpose)"
    case .answeredFullAccuracy(let isGranted):
      "full accuracy \(isGranted ? "granted" : "declined")"
    case .fullAccuracyExpired: "full accuracy expired"
    }
  }

  private static func name(_ action: Machine.Action) -> String {
    switch action {
    case .ask(let request): "ask for \(request)"
    case .cancelQuestion: "take the question back"
    case .answer(let request): "answer \(request)"
    case .askForFullAccuracy(let purpose): "ask for full accuracy for \(purpose)"
    case .cancelFullAccuracyQuestion: "take the question for full accuracy back"
    case .answerFullAccuracy(let purpose, let isGranted):
      "\(isGranted ? "grant" : "decline") full accuracy for \(purpose)"
    }
  }

  private static func table(_ head: [String], _ rows: [[String]]) -> String {
    ([head, head.map { _ in "---" }] + rows)
      .map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
  }
}
