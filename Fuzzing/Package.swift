// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that users of the library do not resolve or build it. `scripts/fuzz`
// passes the required flags.
let package = Package(
  name: "Fuzzing",
  dependencies: [.package(name: "AsyncLocation", path: "..", traits: [])],
  targets: [
    .target(
      name: "ReportFuzzing",
      dependencies: [
        .product(name: "GPSDBackend", package: "AsyncLocation"),
        .product(name: "GPSDReports", package: "AsyncLocation"),
      ]),
    .executableTarget(name: "fuzz-reports", dependencies: ["ReportFuzzing"]),
    .target(
      name: "RecordingFuzzing",
      dependencies: [
        .product(name: "AsyncLocation", package: "AsyncLocation"),
        .product(name: "LocationRecording", package: "AsyncLocation"),
      ]),
    .executableTarget(name: "fuzz-recordings", dependencies: ["RecordingFuzzing"]),
  ]
)
