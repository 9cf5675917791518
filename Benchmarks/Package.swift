// swift-tools-version: 6.2
import PackageDescription

let geocoder: [Target.Dependency] = [
  .product(name: "AsyncLocation", package: "async-location"),
  .product(name: "OfflineGeocoder", package: "async-location"),
]

// A separate package, so that users of the library do not resolve or build it. It contains gpsd
// clients of this library and of libgps, which all end by printing the line of `Tally`.
let package = Package(
  name: "Benchmarks",
  products: [
    .library(name: "AllocationCounter", type: .dynamic, targets: ["AllocationCounter"])
  ],
  dependencies: [.package(name: "async-location", path: "..")],
  targets: [
    .systemLibrary(name: "CLibGPS", pkgConfig: "libgps", providers: [.apt(["libgps-dev"])]),
    .target(name: "Tally", linkerSettings: [.linkedLibrary("m")]),
    .target(name: "AllocationCounter"),
    .executableTarget(name: "line-server"),
    .executableTarget(name: "floor-loop", dependencies: ["Tally"]),
    .executableTarget(name: "libgps-loop", dependencies: ["CLibGPS", "Tally"]),
    .executableTarget(name: "libgps-connections", dependencies: ["CLibGPS", "Tally"]),
    .executableTarget(
      name: "async-location-loop",
      dependencies: [
        "Tally",
        .product(name: "AsyncLocation", package: "async-location"),
        .product(name: "GPSDBackend", package: "async-location"),
      ]),
    .executableTarget(
      name: "condition-loop",
      dependencies: [
        .product(name: "AsyncLocation", package: "async-location"),
        .product(name: "LocationStorage", package: "async-location"),
        .product(name: "MockBackend", package: "async-location"),
      ]),
    .executableTarget(
      name: "delivery-loop",
      dependencies: [
        "Tally",
        .product(name: "AsyncLocation", package: "async-location"),
        .product(name: "MockBackend", package: "async-location"),
      ]),
    .executableTarget(name: "fleet-feeder"),
    .executableTarget(
      name: "fleet-loop",
      dependencies: [
        "Tally",
        .product(name: "AsyncLocation", package: "async-location"),
        .product(name: "LocationStorage", package: "async-location"),
        .product(name: "MQTTBackend", package: "async-location"),
        .product(name: "PostgreSQLStorage", package: "async-location"),
      ]),
    .executableTarget(
      name: "history-loop",
      dependencies: [
        .product(name: "AsyncLocation", package: "async-location"),
        .product(name: "LocationStorage", package: "async-location"),
        .product(name: "PostgreSQLStorage", package: "async-location"),
      ]),
    .executableTarget(name: "geocode-once", dependencies: geocoder),
    .executableTarget(name: "geocoding-loop", dependencies: geocoder),
  ]
)

// The decoder has no public API, so its client needs a library built with -enable-testing, which
// slows down the other clients. `scripts/benchmark` builds it separately.
if Context.environment["BENCHMARK_DECODER"] != nil {
  package.targets = package.targets.filter { $0.name == "Tally" }
  package.products = []
  package.targets.append(
    .executableTarget(
      name: "decoder-loop",
      dependencies: ["Tally", .product(name: "GPSDReports", package: "async-location")]))
}
