import AsyncLocation
import MQTTBackend

/// Descriptions of errors for people. Escape them before printing: causes and messages may quote
/// untrusted text.
enum Reason {
  /// The message of an error, followed by the messages of up to four causes that add information.
  static func text(_ error: any Error) -> String {
    var (text, next) = (message(of: error) ?? "\(error)", (error as? LocationError)?.cause)
    for _ in 0..<4 {
      guard let cause = next else { break }
      if let message = Self.message(of: cause), !text.contains(message) {
        text += " Cause: " + message
      }
      next = (cause as? LocationError)?.cause
    }
    return text
  }

  static let diagnostics: [(LocationUpdate.Diagnostics, String)] = [
    (.authorizationDeniedGlobally, "Location services are switched off."),
    (.authorizationDenied, "Permission is refused or was withdrawn."),
    (.authorizationRestricted, "Permission cannot be granted here."),
    (.authorizationRequestInProgress, "Permission was requested; there is no answer yet."),
    (.serviceSessionRequired, "Permission was not requested."),
    (
      .insufficientlyInUse,
      "Permission covers only the time in use, and the application is not in use."
    ),
    (.alwaysAuthorizationDenied, "Permission for always is refused."),
    (.fullAccuracyDenied, "Full accuracy is refused."),
    (.deviceUnknown, "A requested receiver is missing."),
    (.locationUnavailable, "The receiver has no fix at the moment."),
    (.accuracyLimited, "Accuracy is reduced by the authorization policy."),
    (.stationary, "The receiver is stationary."),
  ]

  /// The message of an error alone; nil if it has no description for people.
  private static func message(of error: any Error) -> String? {
    (error as? LocationError).map { advised($0.message) }
      ?? (error as? any CustomStringConvertible)?.description
  }

  /// A message in which the tool's options replace the advice of the library.
  static func advised(_ message: String) -> String {
    let variables = BrokerArguments.variables
    return message.replacing(
      BrokerAdvice.setCredentials,
      with: "Set \(variables.user) and \(variables.password), or use --credentials FILE."
    ).replacing(
      BrokerAdvice.setCertificate, with: "Use --certificate FILE and --certificate-key FILE."
    ).replacing(BrokerAdvice.checkAuthority, with: "Check the host's name and --ca.")
  }
}
