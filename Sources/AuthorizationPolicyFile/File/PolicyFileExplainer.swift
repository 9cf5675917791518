import AsyncLocation
import FoundationEssentials

/// Reads a policy file and the state of its key, and explains the result for one client. Its calls
/// block their thread.
struct PolicyFileExplainer: Sendable {
  let path: String
  let client: String
  let keyPath: String
  /// Reads the rules; replaceable in tests.
  let read: @Sendable () throws(PolicyFileReader.Problem) -> AuthorizationRules

  init(
    path: String, client: String, keyPath: String,
    read: (@Sendable () throws(PolicyFileReader.Problem) -> AuthorizationRules)? = nil
  ) {
    (self.path, self.client, self.keyPath) = (path, client, keyPath)
    let reader = PolicyFileReader(path: path)
    if let read {
      self.read = read
    } else {
      self.read = { () throws(PolicyFileReader.Problem) in try reader.read() }
    }
  }

  /// Reads the file, and checks the key if the rule needs it.
  ///
  /// - Parameter makesKey: Whether to create the key of reduced accuracy if a rule needs it and it
  ///   does not exist. If false, nothing is written.
  func reading(at date: Date, makesKey: Bool) -> PolicyFileStateMachine.Reading {
    if let problem = AuthorizationRules.problem(withName: client) {
      return failure("\(client.quotedForMessage) cannot be a client's name: \(problem)", .mistake)
    }
    let shown = String(printable: path)
    do throws(PolicyFileReader.Problem) {
      let rules = try read()
      let finding = rules.finding(for: client, at: date)
      let rule = finding.rule
      let isAuthorized = rule.permission.status.isAuthorized
      var keyNotice: String?
      if rule.accuracy == .reduced, isAuthorized {
        do throws(LocationError) {
          keyNotice = try examineKey(makesKey: makesKey)
        } catch {
          return failure("Accuracy cannot be reduced: \(error.message)", .transient)
        }
      }
      return PolicyFileStateMachine.Reading(
        explanation: AuthorizationExplanation(
          path: path, client: client,
          decision: AuthorizationDecision(
            rule.permission, accuracy: rule.accuracy, reason: "\(shown): \(finding.reason)"),
          locationServicesEnabled: rules.locationServicesEnabled, expires: finding.expires,
          purposes: isAuthorized ? rule.purposes : [:], keyNotice: keyNotice, error: nil))
    } catch {
      return failure("The policy file \(shown) cannot be used: \(error.message)", error.kind)
    }
  }

  /// Returns a notice for the operator about the key; nil if the key is usable.
  private func examineKey(makesKey: Bool) throws(LocationError) -> String? {
    let file = try KeyFile(path: keyPath)
    if makesKey {
      var generator = SystemRandomNumberGenerator()
      guard try file.loadUnlessLocked(using: &generator) != nil else { throw file.lockError }
    }
    let shown = String(printable: keyPath)
    let notice: String? =
      switch try file.examine() {
      case .intact: nil
      case .missing: "There is no \(shown) yet; it is made when locations are first reduced."
      case .damaged:
        "\(shown) is damaged; it is set aside and made anew when locations are first reduced."
      }
    let tracks = try TrackFile(besideKey: keyPath)
    return tracks.notice(after: notice)
  }

  private func failure(
    _ message: String, _ problem: PolicyFileReader.Problem.Kind
  ) -> PolicyFileStateMachine.Reading {
    PolicyFileStateMachine.Reading(
      explanation: AuthorizationExplanation(
        path: path, client: client, decision: .denied.withReason(message),
        locationServicesEnabled: true, expires: nil, purposes: [:], keyNotice: nil,
        error: LocationError(.denied, message)),
      problem: problem)
  }
}
