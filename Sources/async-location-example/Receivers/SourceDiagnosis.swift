import AsyncLocation
import FoundationEssentials

/// Derives the findings about GeoClue or a source of NMEA 0183 from the evidence. Pure.
enum SourceDiagnosis {
  static func findings(_ evidence: Evidence) -> [Finding] {
    let (source, permission) = (source(evidence), permission(evidence))
    guard evidence.authorization?.isAuthorized == true, permission.result != .problem else {
      return [source, permission]
        + checks(evidence).map { Finding($0, .skipped, "there is no permission") }
    }
    guard source.result != .problem || evidence.location != nil else {
      return [source, permission]
        + checks(evidence).map { Finding($0, .skipped, "the source does not answer") }
    }
    let isReduced = evidence.authorization?.accuracy == .reduced
    return [source, permission]
      + checks(evidence).map { check in
        switch check {
        case .sky where isReduced, .time where isReduced:
          Finding(check, .skipped, "not available with reduced accuracy")
        case .sky: Diagnosis.sky(evidence)
        case .fix: fix(evidence, source)
        default: time(evidence)
        }
      }
  }

  /// The checks that need permission. GeoClue reports no satellites.
  private static func checks(_ evidence: Evidence) -> [Finding.Check] {
    evidence.backend == .nmea ? [.sky, .fix, .time] : [.fix, .time]
  }

  private static func fix(_ evidence: Evidence, _ source: Finding) -> Finding {
    guard evidence.location == nil, evidence.failure == nil else {
      return Diagnosis.fix(evidence, source)
    }
    let text = "no fix arrived within \(NumberText.span(evidence.watchDuration))"
    // The source's own problem has the remedy.
    guard source.result == .ok else { return Finding(.fix, .problem, text) }
    guard evidence.backend == .geoclue else { return Diagnosis.fix(evidence, source) }
    return Finding(
      .fix, .problem, text,
      advice:
        "GeoClue needs a source of its own, such as a modem, a network for its lookups, or the "
        + "nmea-socket of [network-nmea] in /etc/geoclue/geoclue.conf.")
  }

  private static func source(_ evidence: Evidence) -> Finding {
    if let failure = evidence.failure, !isRefusal(failure) {
      return Finding(.source, .problem, Reason.text(failure))
    }
    guard let connection = evidence.connection else {
      return Finding(.source, .skipped, "it was not opened")
    }
    if let problem = connection.problem {
      // The finding about permission has its text.
      guard !isRefusal(problem) else { return Finding(.source, .skipped, "access is refused") }
      return Finding(
        .source, connection.phase == .connected ? .warning : .problem, Reason.text(problem))
    }
    return connection.phase == .connected
      ? Finding(.source, .ok, "\(evidence.source) answers")
      : Finding(
        .source, .problem,
        "\(evidence.source) did not answer within \(NumberText.span(evidence.watchDuration))")
  }

  private static func permission(_ evidence: Evidence) -> Finding {
    // The message of the refusal names the file and the line, or the group, that permit access.
    if let failure = evidence.failure, isRefusal(failure) {
      return Finding(.permission, .problem, Reason.text(failure))
    }
    guard let authorization = evidence.authorization else {
      return Finding(.permission, .skipped, "permission was not requested")
    }
    guard authorization.isAuthorized else {
      return Finding(
        .permission, .problem, authorization.reason ?? "permission is \(authorization.status)")
    }
    return authorization.accuracy == .full
      ? Finding(.permission, .ok, "permission is \(authorization.status)")
      : Finding(
        .permission, .warning, authorization.reason ?? "permission is for reduced accuracy",
        advice: "Positions are off by several kilometers.")
  }

  private static func isRefusal(_ error: LocationError) -> Bool {
    error.code == .denied || error.code == .restricted
  }

  private static func time(_ evidence: Evidence) -> Finding {
    guard evidence.backend == .geoclue, let location = evidence.location,
      let arrival = evidence.locatedAt
    else { return Diagnosis.time(evidence) }
    guard location.sourceInformation?.timeSource != .host else {
      return Finding(.time, .ok, "GeoClue has given the location this computer's time")
    }
    let age = arrival.timeIntervalSince(location.timestamp)
    // GeoClue keeps its last location, and gives it to each new client.
    guard (5...1e12).contains(age) else { return Diagnosis.time(evidence) }
    return Finding(
      .time, .warning, "the location is \(NumberText.span(.seconds(age))) old",
      advice: "GeoClue keeps the last one while its source has no other: check the source.")
  }
}
