import AsyncLocation
import FoundationEssentials

/// Derives one finding per check from the evidence; each check precedes those that depend on it.
/// Pure.
enum Diagnosis {
  static func findings(_ evidence: Evidence) -> [Finding] {
    guard evidence.backend == .gpsd else { return SourceDiagnosis.findings(evidence) }
    var findings = [
      library(evidence), daemon(evidence), permission(evidence),
    ]
    guard evidence.isReachable else {
      return findings
        + [Finding.Check.receivers, .sky, .fix, .time].map {
          Finding($0, .skipped, "gpsd is not reachable")
        }
    }
    guard let authorization = evidence.authorization, authorization.isAuthorized else {
      return findings
        + [Finding.Check.receivers, .sky, .fix, .time].map {
          Finding($0, .skipped, "there is no permission")
        }
    }
    let receivers = receivers(evidence)
    findings.append(receivers)
    guard authorization.accuracy == .full else {
      let reason = "not available with reduced accuracy"
      return findings
        + [
          Finding(.sky, .skipped, reason), fix(evidence, receivers),
          Finding(.time, .skipped, reason),
        ]
    }
    return findings + [sky(evidence), fix(evidence, receivers), time(evidence)]
  }

  // MARK: Prerequisites

  private static func library(_ evidence: Evidence) -> Finding {
    if let version = evidence.survey.libgpsAPI {
      return Finding(.library, .ok, "built with libgps, API \(version)")
    }
    return evidence.usesSharedMemory
      ? Finding(
        .library, .problem, "built without libgps, which shared memory needs",
        advice: "Use --transport socket, or build with libgps-dev and the package trait LibGPS.")
      : Finding(.library, .ok, "built without libgps, which the socket does not need")
  }

  private static func daemon(_ evidence: Evidence) -> Finding {
    let survey = evidence.survey
    switch survey.receivers {
    case .failure(let error):
      return Finding(
        .daemon, evidence.usesSharedMemory ? .warning : .problem, Reason.text(error),
        advice: advice(error))
    case .success:
      guard let version = survey.protocolVersion else {
        return Finding(.daemon, .ok, "gpsd answers at \(survey.endpoint)")
      }
      let text =
        "gpsd \(survey.release ?? "of an unknown release") answers at \(survey.endpoint), "
        + "protocol \(version.major).\(version.minor)"
      guard version.major == 3 else {
        return Finding(
          .daemon, .warning, text,
          advice: "Only protocol 3 is supported; some values may be missing.")
      }
      return version.minor >= 14
        ? Finding(.daemon, .ok, text)
        : Finding(
          .daemon, .warning, text,
          advice:
            "Before 3.20 gpsd does not report the reference of its altitudes; use a newer release.")
    }
  }

  private static func advice(_ error: LocationError) -> String {
    switch error.code {
    case .backendUnavailable:
      "Start it: systemctl start gpsd.socket, or gpsd -n DEVICE. On another host it needs -G."
    case .notGPSD: "Another program uses that port: run ss -ltnp on that host, or use --port."
    case .timedOut:
      "It may be stopped, already serve 64 clients, or be behind a firewall. Restart it."
    case .denied: "A firewall, a sandbox or a container denies the connection; allow it."
    default: "Look at gpsd's log: journalctl -u gpsd."
    }
  }

  private static func permission(_ evidence: Evidence) -> Finding {
    if case .failure(let error) = evidence.survey.receivers, error.code == .denied {
      return Finding(
        .permission, .problem, "the system does not let this process connect",
        advice: advice(error))
    }
    guard let authorization = evidence.authorization else {
      return Finding(.permission, .skipped, "permission was not requested")
    }
    let reason = authorization.reason.map { ": \($0)" } ?? ""
    guard authorization.locationServicesEnabled else {
      return Finding(
        .permission, .problem, "location services are switched off for everybody",
        advice: "Ask the operator to switch them on in the policy.")
    }
    guard authorization.isAuthorized else {
      return Finding(
        .permission, .problem, "the authorization policy decided \(authorization.status)\(reason)",
        advice: "Ask the operator to grant it in the policy.")
    }
    return authorization.accuracy == .full
      ? Finding(.permission, .ok, "the authorization policy decided \(authorization.status)")
      : Finding(
        .permission, .warning, "the authorization policy grants reduced accuracy\(reason)",
        advice: "Positions are off by several kilometers; the policy can grant full accuracy.")
  }

  // MARK: Receivers

  private static func receivers(_ evidence: Evidence) -> Finding {
    let receivers = evidence.receivers
    guard !receivers.isEmpty else {
      return evidence.usesSharedMemory
        ? Finding(.receivers, .warning, "shared memory has not named a receiver yet")
        : Finding(
          .receivers, .problem, "gpsd has no receiver",
          advice: "Plug one in, or add one: gpsdctl add /dev/ttyACM0, or DEVICES in "
            + "/etc/default/gpsd.")
    }
    let text = receivers.map { describe($0, evidence) }.joined(separator: "; ")
    if let device = evidence.device, !receivers.contains(where: { $0.name == device }) {
      return Finding(
        .receivers, .problem, "gpsd does not have \(device); it has \(text)",
        advice: "Use one of these names for --device.")
    }
    let selected = receivers.filter { evidence.device == nil || $0.name == evidence.device }
    // Shared memory does not report which receivers are open.
    if !evidence.usesSharedMemory, !selected.contains(where: \.isActive) {
      return Finding(
        .receivers, .problem, text,
        advice: "gpsd has not opened it: check the cable, and that gpsd may read the device.")
    }
    if !evidence.usesSharedMemory, !selected.contains(where: { $0.isActive && $0.driver != nil }) {
      return Finding(
        .receivers, .warning, text,
        advice: "gpsd has received no valid data yet: check the baud rate.")
    }
    return Finding(.receivers, .ok, text)
  }

  private static func describe(_ receiver: Receiver, _ evidence: Evidence) -> String {
    let facts = [
      receiver.driver, receiver.model, ReceiverTable.rate(receiver),
      evidence.usesSharedMemory ? nil : receiver.isActive ? "open" : "not open",
    ].compactMap { $0 }.filter { $0 != "-" && !$0.isEmpty }
    return receiver.name + (facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))")
  }

  // MARK: Reports of the receivers

  static func sky(_ evidence: Evidence) -> Finding {
    guard let view = evidence.view else {
      if evidence.failure != nil {
        return Finding(.sky, .skipped, "the observation ended early")
      }
      return Finding(
        .sky, .warning,
        "no satellite view arrived within \(NumberText.span(evidence.watchDuration))",
        advice: "Not every receiver reports satellites. Otherwise wait longer: --timeout 60.")
    }
    let used = view.used
    let strength = view.satellites.compactMap(\.signalStrength).max()
    let text =
      "\(NumberText.counted(view.satellites.count, "satellite")) in view, \(used.count) used"
      + (strength.map { ", the strongest at \(NumberText.fixed($0, 0)) dB-Hz" } ?? "")
    if used.count >= 4, strength.map({ $0 >= 30 }) ?? true { return Finding(.sky, .ok, text) }
    return Finding(
      .sky, .warning, text,
      advice: "Give the antenna a clear view of the sky, away from metal, and check its cable.")
  }

  static func fix(_ evidence: Evidence, _ receivers: Finding) -> Finding {
    guard let location = evidence.location else {
      if let failure = evidence.failure {
        if failure.code == .deviceUnknown, receivers.result == .problem {
          return Finding(.fix, .skipped, "the receiver is missing")
        }
        return Finding(
          .fix, .problem, "no fix: " + Reason.text(failure),
          advice: "This does not recover by itself."
        )
      }
      let problem = evidence.connection?.problem
      let isConnected = evidence.connection?.phase != .waiting
      return Finding(
        .fix, .problem,
        "no fix arrived within \(NumberText.span(evidence.watchDuration))"
          + (problem.map { ": " + Reason.text($0) } ?? ""),
        advice: problem.flatMap { isConnected ? nil : advice($0) }
          ?? "A cold start takes minutes with a clear view of the sky; wait longer: --timeout 300.")
    }
    // Never includes the position, since users share the output of `doctor`.
    let text =
      LocationText(glyphs: .ascii).fix(location)
      .map { $0.split(separator: " ").joined(separator: " ") } ?? "a fix"
    let accuracy =
      location.horizontalAccuracy.map { ", accurate to \(NumberText.fixed($0, 1)) m" }
      ?? ", of unknown accuracy"
    let source = location.sourceInformation?.device.map { ", from \($0)" } ?? ""
    if location.integrity?.isSuspect ?? false {
      return Finding(
        .fix, .warning, text + accuracy + source,
        advice: "The receiver contradicts itself. Compare it with another source, and look for a "
          + "transmitter near the antenna and for damage to its cable.")
    }
    if let jamming = location.gnss?.jamming, jamming > 127 {
      return Finding(
        .fix, .warning, text + accuracy + source + ", jamming \(jamming) of 255",
        advice: "A transmitter near the antenna interferes; move one of them.")
    }
    guard location.gnss?.mode != .twoDimensional else {
      return Finding(
        .fix, .warning, text + accuracy + source,
        advice: "A 2D fix only estimates altitude; a clearer view of the sky gives a 3D fix.")
    }
    return Finding(.fix, .ok, text + accuracy + source)
  }

  static func time(_ evidence: Evidence) -> Finding {
    guard let location = evidence.location, let arrival = evidence.locatedAt else {
      return Finding(.time, .skipped, "there is no fix")
    }
    switch location.sourceInformation?.timeSource {
    case .host:
      return Finding(
        .time, .warning, "the receiver has no usable time; fixes have this computer's time",
        advice: "It has no date, or a wrong GPS week: look for newer firmware.")
    case .provisional:
      return Finding(
        .time, .warning, "the receiver's clock is not confirmed yet",
        advice: "Three consecutive 3D fixes confirm it; wait longer.")
    case .receiver, nil: break
    }
    let offset = arrival.timeIntervalSince(location.timestamp)
    let span = NumberText.span(.seconds(min(offset.magnitude, 1e12)))
    guard offset.magnitude > 5 else {
      return Finding(.time, .ok, "the receiver's clock is \(span) from this computer's clock")
    }
    return Finding(
      .time, .warning,
      "the receiver's clock is \(span) \(offset > 0 ? "behind" : "ahead of") this computer's",
      advice: "One of the two is wrong, or gpsd plays a recording.")
  }
}
