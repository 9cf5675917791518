import AsyncLocation
import Glibc

extension GeoClueConfiguration {
  /// The values that the state machine uses.
  func service(
    for purpose: GeoClueStateMachine.Configuration.Purpose
  ) -> GeoClueStateMachine.Configuration {
    GeoClueStateMachine.Configuration(
      purpose: purpose, endpoint: String(printable: busAddress), desktopID: desktopID,
      user: getuid(), reconnection: reconnection, connectTimeout: connectTimeout,
      answerTimeout: answerTimeout, authorizationTimeout: authorizationTimeout,
      locationTimeout: locationTimeout, silenceTimeout: silenceTimeout)
  }
}
